"""A judge that is a model: attempts, the output ladder, usage, and a verdict for everything that can happen.

This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlsplit

from pydantic_ai.exceptions import ModelRequestRejectedError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from proctor.judges.answer_kinds import Answer
from proctor.judges.answers import is_about_output_mode, judge_agent, output_modes
from proctor.judges.causes import Cause, unscored
from proctor.judges.faults import Again, Fault, classify
from proctor.judges.keys import call_settings
from proctor.judges.panel import Vote
from proctor.judges.pause import Pause, backoff_delay_s
from proctor.judges.prompts import Prompt, build_correction, build_prompt
from proctor.model_usage import usage_of
from proctor.plan import JudgeRequest, JudgeSettings
from proctor.results import Verdict
from proctor.trajectory import Usage

MORE_TOKENS = 4096
"""``max_tokens`` at least of the fresh attempt after a malformed answer: the answer may have been cut off."""

# pydantic-ai prices a model by its name alone, so a local server with a model called gpt-4o looks like OpenAI's.
_OWN_HOSTS = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}


@dataclass(frozen=True, slots=True)
class _Question:
    """What an attempt sends: the prompt, or a correction behind the messages that led to it."""

    text: str
    history: Sequence[ModelMessage] = ()

    @property
    def is_correction(self) -> bool:
        """Whether the judge has answered before."""
        return bool(self.history)


@dataclass(frozen=True, slots=True)
class _Reply:
    """An answer of the right form, and all messages up to it."""

    answer: Answer
    messages: Sequence[ModelMessage]


class ModelJudge:
    """One model that judges. It belongs to the event loop in which it was made."""

    def __init__(self, model_id: str, model: Model, settings: JudgeSettings, pause: Pause) -> None:
        self.model_id = model_id
        self.model = model
        self._settings = settings
        self._pause = pause
        self._modes = output_modes(model)

    async def ask(self, request: JudgeRequest) -> Vote:
        """Ask until there is an answer or no sense in asking again. Raises nothing that a judge does.

        An answer of the right form that does not cover the question is sent back once, with what is wrong with it.
        """
        prompt, spent = build_prompt(request), RunUsage()
        question = _Question(prompt.text)
        malformed = False
        attempts = faults = 0
        while True:
            attempts += 1
            outcome = await self._attempt(prompt, question, spent, more_tokens=malformed)
            if isinstance(outcome, _Reply):
                gap = outcome.answer.gap(request)
                if gap is None:
                    verdict = self._verdict(outcome.answer, request, prompt, attempts, spent)
                    return Vote(verdict, outcome.answer.answered)
                if not question.is_correction:
                    question = _Question(build_correction(gap), outcome.messages)
                    continue
                outcome = Fault(Cause.INCOMPLETE, Again.NEVER, gap)
            faults += 1
            last_chance = outcome.again is Again.NEVER or (outcome.again is Again.ONCE and malformed)
            if last_chance or faults > self._settings.retries:
                return Vote(self._no_verdict(outcome, prompt, attempts, spent), frozenset())
            malformed = malformed or outcome.again is Again.ONCE
            await self._rest(outcome, faults)

    async def _attempt(
        self, prompt: Prompt, question: _Question, spent: RunUsage, *, more_tokens: bool
    ) -> _Reply | Fault:
        await self._pause.wait()
        limit = asyncio.timeout(self._settings.timeout_s)
        try:
            async with limit:
                return await self._climb(prompt, question, spent, more_tokens=more_tokens)
        except Exception as error:
            if limit.expired():
                return Fault(Cause.TIMEOUT, Again.ALWAYS, f"no answer within {self._settings.timeout_s:g} s")
            return classify(error)

    async def _climb(self, prompt: Prompt, question: _Question, spent: RunUsage, *, more_tokens: bool) -> _Reply:
        """Ask in the first output mode that the server takes, and begin with that one the next time."""
        modes = self._modes
        for rung, mode in enumerate(modes):
            try:
                reply = await self._request(mode, prompt, question, spent, more_tokens=more_tokens)
            except ModelRequestRejectedError as error:
                if mode == modes[-1] or not is_about_output_mode(error):
                    raise
            else:
                self._modes = modes[rung:]
                return reply
        raise AssertionError("the last output mode answers or raises")

    async def _request(
        self, mode: str, prompt: Prompt, question: _Question, spent: RunUsage, *, more_tokens: bool
    ) -> _Reply:
        result = await judge_agent(mode, prompt.answer).run(
            question.text,
            message_history=question.history or None,
            model=self.model,
            instructions=prompt.instructions,
            model_settings=self._call_settings(more_tokens=more_tokens),
            usage=spent,
            # The settings bound the attempts; the library's own limit of 50 requests would count all of them together.
            usage_limits=UsageLimits(request_limit=None),
        )
        return _Reply(result.output, result.all_messages())

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
        finding = answer.finding(request)
        seen = f" (the judge saw a part only: {'; '.join(prompt.shortened)})" if prompt.shortened else ""
        return Verdict(
            passed=finding.passed,
            reasoning=answer.reasoning + seen,
            model=self.model_id,
            attempts=attempts,
            # pydantic-ai's test model makes its answers up.
            self_test=isinstance(self.model, TestModel),
            usage=self._usage(spent),
            prompt_version=prompt.version,
            score=finding.score,
            criteria=finding.criteria,
            label=finding.label,
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
