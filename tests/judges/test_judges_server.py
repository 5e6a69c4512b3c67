"""Judges over a real SDK and real HTTP: no fault of a server is ever a fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from judge_server import ENVELOPE, GOOD, Answer, JudgeServer, completion, error, grade, judge_server

from proctor.judges import JudgePool
from proctor.plan import Evidence, JudgeRequest, JudgeSettings
from proctor.results import Verdict

REQUEST = JudgeRequest("reply", "States a locker number.", (Evidence("Reply", "Your locker is number 9."),))
TRUNCATED = grade('{"reasoning": "the reply nam', "length")
MANY_REQUESTS = error(429, "slow down", headers={"Retry-After": "0"})


def ask(
    monkeypatch: pytest.MonkeyPatch,
    answers: Sequence[Answer],
    *,
    retries: int = 2,
    model: str = "openai-chat:gpt-4o",
    times: int = 1,
) -> tuple[list[Verdict], JudgeServer]:
    async def run() -> list[Verdict]:
        pool = JudgePool(JudgeSettings(model=model, retries=retries, timeout_s=20, backoff_s=0), root=Path.cwd())
        try:
            await pool.prepare([model])
            return [await pool.ask(REQUEST) for _ in range(times)]
        finally:
            await pool.close()

    with judge_server(*answers) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback")
        return asyncio.run(run()), server


class TestAGoodAnswer:
    def test_is_the_verdict_with_the_usage_of_the_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [GOOD])
        assert (verdict.passed, verdict.reasoning, verdict.attempts) == (True, "names locker 9", 1)
        assert (verdict.cause, verdict.self_test, verdict.prompt_version) == (None, False, "reply/1")
        assert (verdict.usage.input_tokens, verdict.usage.cache_read_tokens, verdict.usage.output_tokens) == (
            70,
            30,
            20,
        )
        assert verdict.usage.requests == len(server.requests) == 1

    def test_of_another_server_has_no_known_price(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], _ = ask(monkeypatch, [GOOD])
        assert verdict.usage.cost_usd is None

    def test_is_asked_for_with_fixed_settings_and_the_reasoning_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _, server = ask(monkeypatch, [GOOD])
        [request] = server.requests
        assert (request["temperature"], request["max_completion_tokens"]) == (0.0, 1024)
        assert list(request["tools"][0]["function"]["parameters"]["properties"]) == ["reasoning", "passed"]

    def test_of_a_reasoning_model_is_asked_for_without_a_temperature(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [GOOD], model="openai-chat:gpt-5")
        assert verdict.passed is True
        assert "temperature" not in server.requests[0]


class TestAnOutage:
    @pytest.mark.parametrize(
        "answer",
        [
            MANY_REQUESTS,
            error(500, "internal"),
            error(503, "unavailable"),
            error(408, "request timeout"),
            Answer({**ENVELOPE, "choices": []}),
            Answer("<html>the gateway is tired</html>"),
        ],
        ids=["429", "500", "503", "408", "no choices", "garbage"],
    )
    def test_is_tried_again_and_then_unscored(self, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
        [verdict], server = ask(monkeypatch, [answer])
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "unavailable", 3)
        assert len(server.requests) == 3, "one request an attempt: the SDK does not retry"
        assert verdict.reasoning.startswith("judge openai-chat:gpt-4o gave no verdict (unavailable, 3 attempts): ")

    def test_that_ends_leaves_a_verdict(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], _ = ask(monkeypatch, [error(500, "x"), MANY_REQUESTS, GOOD])
        assert (verdict.passed, verdict.attempts) == (True, 3)

    def test_is_waited_out_as_long_as_the_provider_asks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [error(429, "x", headers={"retry-after-ms": "80"}), GOOD])
        assert verdict.passed is True
        assert server.times[1] - server.times[0] >= 0.08


class TestAFaultThatStays:
    @pytest.mark.parametrize(
        ("answer", "cause"),
        [
            (error(401, "bad key"), "auth"),
            (error(403, "not for you"), "auth"),
            (error(429, "pay first", code="insufficient_quota"), "quota"),
            (error(404, "no such model"), "rejected"),
            (error(400, "too long", code="context_length_exceeded"), "rejected"),
            (error(413, "too large"), "rejected"),
            (completion({"content": None, "refusal": "I will not grade this."}), "refused"),
            (completion({"content": ""}, "content_filter"), "refused"),
        ],
        ids=["401", "403", "quota", "404", "context", "413", "refusal", "content filter"],
    )
    def test_is_unscored_after_one_attempt(self, monkeypatch: pytest.MonkeyPatch, answer: Answer, cause: str) -> None:
        [verdict], server = ask(monkeypatch, [answer])
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, cause, 1)
        assert len(server.requests) == 1


class TestAMalformedAnswer:
    @pytest.mark.parametrize(
        "answer",
        [
            Answer({"error": {"message": "inside a 200"}}),
            completion({"content": "I think it passes: passed = true"}),
            grade("{}"),
            grade('{"passed": true}'),
            grade('{"reasoning": "x", "passed": 0.7}'),
            grade('{"reasoning": "x", "passed": null}'),
            TRUNCATED,
        ],
        ids=["error in 200", "prose", "empty", "no reasoning", "score", "null", "truncated"],
    )
    def test_has_one_fresh_attempt_and_is_then_unscored(self, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
        [verdict], _ = ask(monkeypatch, [answer], retries=5)
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "malformed", 2)

    def test_never_takes_more_attempts_than_the_settings_allow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], _ = ask(monkeypatch, [TRUNCATED], retries=0)
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "malformed", 1)

    def test_is_shown_to_the_model_once_inside_an_attempt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [grade('{"passed": true}'), GOOD], retries=0)
        assert (verdict.passed, verdict.attempts, len(server.requests)) == (True, 1, 2)

    def test_counts_its_tokens_although_there_is_no_verdict(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [grade("{}")])
        assert verdict.usage.requests == len(server.requests) == 4
        assert verdict.usage.output_tokens == 4 * 20

    def test_that_was_cut_off_is_asked_for_again_with_more_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [TRUNCATED, TRUNCATED, GOOD])
        assert verdict.passed is True
        assert [request["max_completion_tokens"] for request in server.requests] == [1024, 1024, 4096]


class TestTheOutputLadder:
    NO_TOOLS = error(400, "this model does not support tools")
    NO_FORMAT = error(400, "response_format is not supported here")
    JSON = completion({"content": json.dumps({"reasoning": "fine", "passed": True})})

    def test_goes_from_tools_to_a_schema_to_plain_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [self.NO_TOOLS, self.NO_FORMAT, self.JSON], retries=0)
        assert (verdict.passed, verdict.attempts) == (True, 1)
        used = [[name for name in ("tools", "response_format") if name in request] for request in server.requests]
        assert used == [["tools"], ["response_format"], []]

    def test_begins_with_the_mode_that_worked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        verdicts, server = ask(monkeypatch, [self.NO_TOOLS, self.JSON], times=3)
        assert [verdict.passed for verdict in verdicts] == [True, True, True]
        assert ["tools" in request for request in server.requests] == [True, False, False, False]

    def test_says_in_text_mode_what_an_answer_looks_like(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _, server = ask(monkeypatch, [self.NO_TOOLS, self.NO_FORMAT, self.JSON])
        system = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "system"]
        assert "Answer with one JSON object" in " ".join(system)
        assert "Grade strictly" in " ".join(system)

    def test_is_not_climbed_for_another_refusal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        [verdict], server = ask(monkeypatch, [error(400, "max_tokens is too large")])
        assert (verdict.cause, len(server.requests)) == ("rejected", 1)


class TestThePrice:
    def test_is_known_at_the_providers_own_address(self) -> None:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.usage import RunUsage

        from proctor.judges.model_judge import ModelJudge
        from proctor.judges.pause import Pause

        own = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(api_key="k", base_url="https://api.openai.com/v1"))
        judge = ModelJudge("openai-chat:gpt-4o", own, JudgeSettings(), Pause())
        assert judge._usage(RunUsage(cost=Decimal("0.25"))).cost_usd == Decimal("0.25")
