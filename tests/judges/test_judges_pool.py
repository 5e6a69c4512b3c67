"""The pool: which judge, set-up errors, attempts, and what becomes of every kind of answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel as MadeUpModel

from proctor.errors import JudgeSetupError
from proctor.judges import DEFAULT_MODEL, SELF_TEST, JudgePool
from proctor.judges.scripted import HANG, Attempts, ScriptedAnswer, ScriptedJudge
from proctor.plan import Evidence, JudgeRequest, JudgeSettings
from proctor.results import Verdict

REQUEST = JudgeRequest(
    "reply",
    "States a locker number.",
    (
        Evidence("Conversation", "USER: which locker?"),
        Evidence("User message", "which locker?"),
        Evidence("Reply", "Your locker is number 9."),
    ),
)


def settings(**changes: Any) -> JudgeSettings:
    return JudgeSettings(**{"model": "lab:judge", "backoff_s": 0.0, **changes})


def ask(answers: Sequence[ScriptedAnswer | Attempts], **changes: Any) -> tuple[list[Verdict], ScriptedJudge]:
    """Ask one question for each answer, one after the other."""
    judge = ScriptedJudge(answers)

    async def run() -> list[Verdict]:
        pool = JudgePool(settings(**changes), provider=judge, root=Path.cwd())
        return [await pool.ask(REQUEST) for _ in answers]

    return asyncio.run(run()), judge


def prepare(*model_ids: str, root: Path | None = None, **options: Any) -> JudgeSetupError | None:
    async def run() -> JudgeSetupError | None:
        pool = JudgePool(settings(), root=root or Path.cwd(), **options)
        try:
            await pool.prepare(model_ids)
        except JudgeSetupError as error:
            return error
        finally:
            await pool.close()
        return None

    return asyncio.run(run())


class TestTheModel:
    @pytest.mark.parametrize(
        ("own", "general", "resolved"),
        [
            ("lab:own", "lab:general", "lab:own"),
            (None, "lab:general", "lab:general"),
            ("", "lab:general", "lab:general"),
            (None, None, DEFAULT_MODEL),
            ("", "", DEFAULT_MODEL),
        ],
    )
    def test_is_the_checks_own_then_the_general_one(self, own: str | None, general: str | None, resolved: str) -> None:
        pool = JudgePool(settings(model=general), root=Path.cwd())
        assert pool.model_id(own) == resolved

    def test_that_answered_stands_in_the_verdict(self) -> None:
        [verdict], judge = ask([True])
        assert verdict.model == judge.questions[0].model == "lab:judge"


class TestAVerdict:
    @pytest.mark.parametrize(
        ("output", "passed"),
        [
            ({"passed": True, "reasoning": "names locker 9"}, True),
            ({"passed": False, "reasoning": "no number"}, False),
            ({"passed": "yes", "reasoning": "ok"}, True),
            ({"passed": 1, "reasoning": "ok"}, True),
            ({"passed": 0.0, "reasoning": "ok"}, False),
            ({"passed": False, "reasoning": "no", "score": 0.9}, False),
        ],
    )
    def test_is_read_leniently(self, output: dict[str, Any], passed: bool) -> None:
        [verdict], _ = ask([output], retries=0)
        assert (verdict.passed, verdict.reasoning, verdict.attempts) == (passed, output["reasoning"], 1)

    @pytest.mark.parametrize(
        "output",
        [
            {"passed": True},
            {"passed": 0.7, "reasoning": "ok"},
            {"reasoning": "ok"},
            {},
            {"passed": None, "reasoning": ""},
        ],
    )
    def test_is_not_guessed(self, output: dict[str, Any]) -> None:
        [verdict], _ = ask([output], retries=0)
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "malformed", 1)

    def test_that_is_none_says_what_was_wrong_with_the_answer(self) -> None:
        [verdict], _ = ask([{"passed": 0.7, "reasoning": "ok"}], retries=0)
        assert "passed Input should be a valid boolean" in verdict.reasoning

    def test_is_not_read_out_of_prose(self) -> None:
        [verdict], _ = ask(['The reply passes: {"passed": true}'], retries=0)
        assert (verdict.passed, verdict.cause) == (None, "malformed")

    def test_of_cut_evidence_says_so(self) -> None:
        async def run() -> Verdict:
            pool = JudgePool(settings(), provider=ScriptedJudge([True]), root=Path.cwd())
            return await pool.ask(JudgeRequest("reply", "r", (Evidence("Reply", "x" * 60_000),)))

        assert asyncio.run(run()).reasoning == (
            "scripted (the judge saw a part only: Reply: 50,000 of 60,000 characters)"
        )

    def test_of_the_made_up_test_model_is_a_self_test(self) -> None:
        async def run() -> Verdict:
            return await JudgePool(settings(model="test"), root=Path.cwd()).ask(REQUEST)

        assert asyncio.run(run()).self_test is True


class TestAttempts:
    def test_go_on_until_there_is_an_answer(self) -> None:
        overloaded = RuntimeError("overloaded")
        [verdict], judge = ask([Attempts(overloaded, overloaded, True)])
        assert (verdict.passed, verdict.attempts, judge.questions[0].attempts) == (True, 3, 3)

    @pytest.mark.parametrize("retries", [0, 1, 2])
    def test_end_after_retries_and_one_more(self, retries: int) -> None:
        [verdict], judge = ask([RuntimeError("overloaded")], retries=retries)
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "unavailable", retries + 1)
        assert judge.questions[0].attempts == retries + 1
        tries = "1 attempt" if retries == 0 else f"{retries + 1} attempts"
        assert verdict.reasoning == (
            f"judge lab:judge gave no verdict (unavailable, {tries}): RuntimeError: overloaded"
        )

    def test_are_limited_in_time_each(self) -> None:
        [verdict], _ = ask([Attempts(HANG, True)], retries=1, timeout_s=0.2)
        assert (verdict.passed, verdict.attempts) == (True, 2)

    def test_that_all_time_out_leave_no_verdict(self) -> None:
        [verdict], _ = ask([HANG], retries=1, timeout_s=0.05)
        assert verdict.reasoning == "judge lab:judge gave no verdict (timeout, 2 attempts): no answer within 0.05 s"
        assert (verdict.passed, verdict.cause) == (None, "timeout")

    def test_have_one_malformed_answer_for_free_and_no_second(self) -> None:
        verdicts, _ = ask([Attempts("prose", True), Attempts("prose", RuntimeError("x"), "prose", True)], retries=9)
        assert [(v.passed, v.attempts) for v in verdicts] == [(True, 2), (None, 3)]

    def test_count_all_their_tokens(self) -> None:
        [verdict], _ = ask([Attempts({"passed": True}, {"passed": True, "reasoning": "ok"})])
        assert verdict.usage.requests == 3, "the answer, the re-ask, and the fresh attempt"
        assert verdict.usage.cost_usd is None

    def test_of_many_questions_at_once_do_not_mix(self) -> None:
        judge = ScriptedJudge([Attempts(RuntimeError("x"), n % 2 == 0) for n in range(20)])

        async def run() -> list[Verdict]:
            pool = JudgePool(settings(), provider=judge, root=Path.cwd())
            return await asyncio.gather(*(pool.ask(REQUEST) for _ in range(20)))

        verdicts = asyncio.run(run())
        assert sorted(v.passed is True for v in verdicts) == [False] * 10 + [True] * 10
        assert {v.attempts for v in verdicts} == {2}

    def test_stop_when_the_run_is_cancelled(self) -> None:
        async def run() -> None:
            pool = JudgePool(settings(), provider=ScriptedJudge([HANG]), root=Path.cwd())
            task = asyncio.create_task(pool.ask(REQUEST))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(run())

    def test_hide_nothing_hostile_in_the_reason(self) -> None:
        [verdict], _ = ask([RuntimeError("\x1b[31mred\nline " + "x" * 1000)], retries=0)
        assert "\x1b" not in verdict.reasoning
        assert "\n" not in verdict.reasoning
        assert verdict.reasoning.endswith("x…")
        assert len(verdict.reasoning) < 300


class TestThePrompt:
    def test_shows_the_judge_what_the_request_holds(self) -> None:
        _, judge = ask([True])
        [prompt] = judge.prompts
        mentions = {text: prompt.count(text) for text in ("which locker?", "Your locker is number 9.", "None")}
        assert mentions == {"which locker?": 2, "Your locker is number 9.": 1, "None": 0}
        assert prompt.count("States a locker number.") == 1

    def test_exists_only_for_known_subjects(self) -> None:
        async def run() -> Verdict:
            return await JudgePool(settings(), root=Path.cwd()).ask(JudgeRequest("mood", "r", ()))

        verdict = asyncio.run(run())
        assert (verdict.passed, verdict.cause) == (None, "setup")
        assert (
            'no prompt for the subject "mood", only for claim_label, grounding, injection, refusal, reply, '
            "rubric_scores, tool_arguments"
        ) in verdict.reasoning


class TestSetUp:
    @pytest.fixture(autouse=True)
    def _no_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
            monkeypatch.delenv(name, raising=False)

    @pytest.mark.parametrize(
        ("model_id", "message", "hint"),
        [
            ("gpt-4o", 'judge "gpt-4o" is an unknown model', "write provider:model, such as openai:gpt-4o"),
            ("nope:x", 'judge "nope:x" is an unknown model', "self-test"),
            ("openai:gpt-4o", "needs the environment variable OPENAI_API_KEY, which is not set", "set OPENAI_API_KEY"),
            ("anthropic:claude", "needs the environment variable ANTHROPIC_API_KEY", "set ANTHROPIC_API_KEY"),
            ("ollama:q", "needs the environment variable OLLAMA_BASE_URL", "set OLLAMA_BASE_URL"),
            ("groq:x", "needs a package that is not installed", 'pip install "pydantic-ai-slim[groq]"'),
            ("python:x", "'x' is not of the form pkg.module:object", "write the import path"),
            ("python:no_such_mod:x", "cannot be imported: there is no module no_such_mod", "looked up in"),
            ("python:json:nothing", "there is no 'nothing' in module json", "check the name"),
            ("python:json:__name__", "is a str, which cannot judge", "give a pydantic-ai Model"),
            ("python:json:dumps", "returned a str for the judge", "give a pydantic-ai Model"),
            ("python:json:loads", "could not build the judge", "correct that callable"),
        ],
    )
    def test_names_the_model_the_cause_and_the_next_step(self, model_id: str, message: str, hint: str) -> None:
        error = prepare(model_id)
        assert error is not None
        assert model_id in error.message
        assert message in error.message
        assert hint in (error.hint or "")
        assert error.exit_code == 3

    def test_reports_all_that_is_wrong_at_once(self) -> None:
        error = prepare("nope:x", SELF_TEST, "openai:gpt-4o", "test", "nope:x")
        assert error is not None
        assert error.message.startswith("2 judges cannot be used:\n")
        assert 'judge "nope:x" is an unknown model' in error.message
        assert "OPENAI_API_KEY" in error.message

    def test_is_quiet_when_all_is_well(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
        assert prepare() is None
        assert prepare(SELF_TEST, "test", "openai:gpt-4o", "openai-chat:gpt-4o") is None

    def test_missed_before_a_question_is_no_verdict(self) -> None:
        async def run() -> Verdict:
            return await JudgePool(settings(model="nope:x"), root=Path.cwd()).ask(REQUEST)

        verdict = asyncio.run(run())
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "setup", 0)
        assert 'judge "nope:x" is an unknown model' in verdict.reasoning


class TestOwnModels:
    @pytest.mark.parametrize("name", ["judge", "instance", "holder.judge"])
    def test_are_found_below_the_root(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        module = f"own_judge_{name.replace('.', '_')}"
        monkeypatch.setattr("sys.path", list(sys.path))
        (tmp_path / f"{module}.py").write_text(
            "from types import SimpleNamespace\n"
            "from proctor.judges.scripted import ScriptedJudge\n"
            "judge = ScriptedJudge([True])\n"
            "instance = judge('any')\n"
            "holder = SimpleNamespace(judge=judge)\n"
        )

        async def run() -> Verdict:
            pool = JudgePool(settings(model=f"python:{module}:{name}"), root=tmp_path)
            return await pool.ask(REQUEST)

        verdict = asyncio.run(run())
        assert (verdict.passed, verdict.model) == (True, f"python:{module}:{name}")

    def test_that_end_the_interpreter_are_an_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.path", list(sys.path))
        (tmp_path / "judge_that_exits.py").write_text("raise SystemExit(0)\n")
        error = prepare("python:judge_that_exits:x", root=tmp_path)
        assert error is not None
        assert "cannot be imported: importing judge_that_exits failed with SystemExit: 0" in error.message

    def test_of_a_provider_take_the_place_of_every_string(self) -> None:
        asked: list[str] = []

        def provider(model_id: str) -> Model:
            asked.append(model_id)
            return MadeUpModel()

        assert prepare(SELF_TEST, "openai:gpt-4o", "no prefix", "python:x", provider=provider) is None
        assert asked == [SELF_TEST, "openai:gpt-4o", "no prefix", "python:x"]

    def test_are_made_once_for_each_loop(self) -> None:
        made: list[str] = []

        def provider(model_id: str) -> Model:
            made.append(model_id)
            return ScriptedJudge([True, True])(model_id)

        pool = JudgePool(settings(), provider=provider, root=Path.cwd())

        async def run() -> list[Verdict]:
            await pool.prepare(["lab:judge"])
            verdicts = await asyncio.gather(pool.ask(REQUEST), pool.ask(REQUEST))
            await pool.close()
            return list(verdicts)

        verdicts = [*asyncio.run(run()), *asyncio.run(run())]
        assert [verdict.passed for verdict in verdicts] == [True] * 4
        assert made == ["lab:judge", "lab:judge"]

    def test_that_cannot_be_opened_are_an_error_each_time(self) -> None:
        class Broken(MadeUpModel):
            async def __aenter__(self) -> Broken:
                raise OSError("no socket")

        async def run() -> tuple[Verdict, Verdict]:
            pool = JudgePool(settings(), provider=lambda _: Broken(), root=Path.cwd())
            return await pool.ask(REQUEST), await pool.ask(REQUEST)

        for verdict in asyncio.run(run()):
            assert (verdict.passed, verdict.cause) == (None, "setup")
            assert 'judge "lab:judge" cannot be opened: OSError: no socket' in verdict.reasoning

    def test_are_opened_once_and_closed_with_the_pool(self) -> None:
        events: list[str] = []

        class Watched(MadeUpModel):
            async def __aenter__(self) -> Watched:
                events.append("opened")
                return self

            async def __aexit__(self, *_: object) -> None:
                events.append("closed")

        async def run() -> None:
            pool = JudgePool(settings(), provider=lambda _: Watched(), root=Path.cwd())
            await pool.prepare(["lab:judge"])
            await asyncio.gather(pool.ask(REQUEST), pool.ask(REQUEST))
            await pool.close()
            await pool.close()

        asyncio.run(run())
        assert events == ["opened", "closed"]


class TestTheSelfTestJudge:
    def test_answers_without_a_model(self) -> None:
        async def run() -> Verdict:
            pool = JudgePool(settings(model=SELF_TEST), root=Path.cwd())
            await pool.prepare([SELF_TEST])
            return await pool.ask(REQUEST)

        verdict = asyncio.run(run())
        assert (verdict.passed, verdict.self_test, verdict.model) == (True, True, SELF_TEST)


class TestTheScriptedJudge:
    def test_says_when_its_script_has_run_out(self) -> None:
        async def run() -> Verdict:
            pool = JudgePool(settings(), provider=ScriptedJudge([]), root=Path.cwd())
            return await pool.ask(REQUEST)

        verdict = asyncio.run(run())
        assert (verdict.passed, verdict.cause, verdict.attempts) == (None, "setup", 1)
        assert "the script has 0 answers, and another question was asked" in verdict.reasoning
