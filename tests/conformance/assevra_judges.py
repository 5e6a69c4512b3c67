"""The judges of vectors on recorded rows: from a ``judge_script`` to judge settings and a provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic_ai.models import Model

from proctor.jsonvalue import digest
from proctor.judges.scripted import ScriptedAnswer, ScriptedJudge
from proctor.plan import SELF_TEST, JudgeSettings

Provider = Callable[[str], Model]


def make_judge(script: Mapping[str, Any]) -> tuple[JudgeSettings, Provider | None]:
    """The judge of a vector: ``mock``, ``scripted`` with raw replies, or a ``panel`` with replies for each juror.

    A judge is asked once, and answers all further questions with its last reply.
    """
    if script["kind"] == "mock":
        return JudgeSettings(model=SELF_TEST, retries=0), None
    if script["kind"] == "scripted":
        return JudgeSettings(model="scripted", retries=0), _scripted(script["replies"])
    jurors = {f"juror-{number}": _scripted(replies) for number, replies in enumerate(script["judges"], start=1)}
    return JudgeSettings(panel=tuple(jurors), retries=0), Jurors(jurors)


class Jurors:
    """A provider with a script of its own for each juror."""

    def __init__(self, jurors: Mapping[str, ScriptedJudge]) -> None:
        self._jurors = jurors

    @property
    def version(self) -> str:
        """A digest of all scripts."""
        return digest({name: juror.version for name, juror in self._jurors.items()})

    def __call__(self, model_id: str) -> Model:
        """Make the model of one juror."""
        return self._jurors[model_id](model_id)


def _scripted(replies: Sequence[Any]) -> ScriptedJudge:
    return ScriptedJudge([_answer(reply) for reply in replies], repeat_last=True)


def _answer(reply: Any) -> ScriptedAnswer:
    return reply if isinstance(reply, str) else RuntimeError(reply["raise"])
