"""A judge that is a model: attempts, the output ladder, usage, and a verdict for everything that can happen.

This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast
from urllib.parse import urlsplit

from pydantic_ai.exceptions import ModelRequestRejectedError
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from proctor.judges.answer_kinds import Answer, passes
from proctor.judges.answers import is_about_output_mode, judge_agent, output_modes
from proctor.judges.causes import Cause, unscored
from proctor.judges.faults import Again, Fault, classify
from proctor.judges.keys import call_settings
from proctor.judges.panel import Vote
from proctor.judges.pause import Pause, backoff_delay_s
from proctor.judges.prompts import Prompt, build_prompt
from proctor.model_usage import usage_of
from proctor.plan import JudgeRequest, JudgeSettings
from proctor.results import Verdict
from proctor.trajectory import Usage

MORE_TOKENS = 4096
"""``max_tokens`` at least of the fresh attempt after a malformed answer: the answer may have been cut off."""

# pydantic-ai prices a model by its name alone, so a local server with a model called gpt-4o looks like OpenAI's.
_OWN_HOSTS = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}


class ModelJudge:
    """One model that judges. It belongs to the event loop in which it was made."""

    def __init__(self, model_id: str, model: Model, settings: JudgeSettings, pause: Pause) -> None:
        self.model_id = model_id
        self.model = model
        self._settings = settings
        self._pause = pause
        self._modes = output_modes(model)

    async def ask(self, request: JudgeRequest) -> Vote:
        """Ask until there is an answer or no sense in asking again. Raises nothing that a judge does."""
        prompt, spent = build_prompt(request), RunUsage()
        malformed = False
        number = 0
        while True:
            number += 1
            outcome = await self._attempt(prompt, spent, more_tokens=malformed)
            if isinstance(outcome, Answer):
                return Vote(self._verdict(outcome, request, prompt, number, spent), outcome.answered)
            last_chance = outcome.again is Again.NEVER or (outcome.again is Again.ONCE and malformed)
            if last_chance or number > self._settings.retries:
                return Vote(self._no_verdict(outcome, prompt, number, spent), frozenset())
            malformed = malformed or outcome.again is Again.ONCE
            await self._rest(outcome, number)

    async def _attempt(self, prompt: Prompt, spent: RunUsage, *, more_tokens: bool) -> Answer | Fault:
        await self._pause.wait()
        limit = asyncio.timeout(self._settings.timeout_s)
        try:
            async with limit:
                return await self._climb(prompt, spent, more_tokens=more_tokens)
        except Exception as error:
            if limit.expired():
                return Fault(Cause.TIMEOUT, Again.ALWAYS, f"no answer within {self._settings.timeout_s:g} s")
            return classify(error)

    async def _climb(self, prompt: Prompt, spent: RunUsage, *, more_tokens: bool) -> Answer:
        """Ask in the first output mode that the server takes, and begin with that one the next time."""
        modes = self._modes
        for rung, mode in enumerate(modes):
            try:
                answer = await self._request(mode, prompt, spent, more_tokens=more_tokens)
            except ModelRequestRejectedError as error:
                if mode == modes[-1] or not is_about_output_mode(error):
                    raise
            else:
                self._modes = modes[rung:]
                return answer
        raise AssertionError("the last output mode answers or raises")

    async def _request(self, mode: str, prompt: Prompt, spent: RunUsage, *, more_tokens: bool) -> Answer:
        result = await judge_agent(mode, prompt.answer).run(
            prompt.text,
            model=self.model,
            instructions=prompt.instructions,
            model_settings=self._call_settings(more_tokens=more_tokens),
            usage=spent,
            # The settings bound the attempts; the library's own limit of 50 requests would count all of them together.
            usage_limits=UsageLimits(request_limit=None),
        )
        return result.output

    def _call_settings(self, *, more_tokens: bool) -> ModelSettings:
        """Retries of the provider's SDK are off: they would multiply with ours, and hide in them."""
        wanted = {**call_settings(self._settings), "max_retries": 0}
        if more_tokens:
            wanted["max_tokens"] = max(MORE_TOKENS, self._settings.max_tokens or 0)
        if not _takes_temperature(self.model):
            del wanted["temperature"]
        taken = {name: value for name, value in wanted.items() if name not in self.model.unsupported_settings}
        return cast("ModelSettings", taken)

    async def _rest(self, fault: Fault, failures: int) -> None:
        if fault.pause_s is not None:
            self._pause.extend(fault.pause_s)
        await asyncio.sleep(backoff_delay_s(failures, self._settings.backoff_s))

    def _verdict(
        self, answer: Answer, request: JudgeRequest, prompt: Prompt, attempts: int, spent: RunUsage
    ) -> Verdict:
        said = answer.said
        seen = f" (the judge saw a part only: {'; '.join(prompt.shortened)})" if prompt.shortened else ""
        return Verdict(
            passed=passes(said, request),
            reasoning=answer.reasoning + seen,
            model=self.model_id,
            attempts=attempts,
            # pydantic-ai's test model makes its answers up.
            self_test=isinstance(self.model, TestModel),
            usage=self._usage(spent),
            prompt_version=prompt.version,
            score=None if isinstance(said, bool) else float(said),
        )

    def _no_verdict(self, fault: Fault, prompt: Prompt, attempts: int, spent: RunUsage) -> Verdict:
        return unscored(
            self.model_id,
            fault.cause,
            fault.text,
            attempts=attempts,
            usage=self._usage(spent),
            prompt_version=prompt.version,
        )

    def _usage(self, spent: RunUsage) -> Usage:
        usage = usage_of(spent)
        return usage if self._has_known_price() else replace(usage, cost_usd=None)

    def _has_known_price(self) -> bool:
        own_host = _OWN_HOSTS.get(self.model.system)
        return own_host is None or urlsplit(self.model.base_url or "").hostname == own_host


def _takes_temperature(model: Model) -> bool:
    """Reasoning models take none; pydantic-ai would leave it out too, with a warning at each call."""
    profile = dict(model.profile)
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    reasons = profile.get("thinking_enabled_by_default") or not profile.get("openai_supports_reasoning_effort_none")
    return not (profile.get("openai_supports_reasoning") and reasons)
