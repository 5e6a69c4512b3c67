"""The self-test judge: a rule that says that it is one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proctor.judges.self_test import ask_self_test
from proctor.plan import Evidence, JudgeRequest


def ask(rubric: str, *texts: str) -> tuple[bool | None, str]:
    verdict = ask_self_test(JudgeRequest("reply", rubric, tuple(Evidence("t", text) for text in texts)))
    return verdict.passed, verdict.reasoning


class TestTheRule:
    @pytest.mark.parametrize(
        ("rubric", "text", "passed"),
        [
            ('Says "locker 9" and "hello".', "HELLO, that is Locker 9.", True),
            ('Says "locker 9" and "hello".', "that is locker 9", False),
            ('Names "STRASSE"', "in der Straße", True),
            ("Names the locker number politely", "your locker has the number 9", True),
            ("Names the locker number politely", "go away", False),
            ("It is so: a b c", "anything", None),
            ("", "anything", None),
            ('Says "" or " "', "anything", False),
        ],
    )
    def test_looks_for_phrases_else_for_half_of_the_words(self, rubric: str, text: str, passed: bool | None) -> None:
        assert ask(rubric, text)[0] is passed

    def test_looks_at_the_last_evidence_only(self) -> None:
        assert ask('Says "nine"', "nine", "ten")[0] is False
        assert ask('Says "nine"')[0] is False


class TestTheVerdict:
    def test_says_that_no_model_was_asked(self) -> None:
        verdict = ask_self_test(JudgeRequest("reply", 'Says "nine"', (Evidence("Reply", "ten"),)))
        assert (verdict.self_test, verdict.model) == (True, "self-test")
        assert verdict.reasoning == (
            'self-test judge, not a model: found 0 of the 1 phrases of the rubric; missing "nine"'
        )

    def test_is_none_where_there_is_nothing_to_look_for(self) -> None:
        assert ask("", "x")[1] == (
            "judge self-test gave no verdict (setup, it was not asked): "
            "the rubric has no phrase in double quotes and no word to look for"
        )


def test_neither_it_nor_the_package_imports_a_model_sdk() -> None:
    code = (
        "import sys, proctor.judges, proctor.judges.self_test;"
        "print([n for n in ('pydantic_ai', 'openai', 'anthropic', 'httpx', 'prefect', 'sqlmodel') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
