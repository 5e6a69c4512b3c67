"""The replies of the judge of category 5 as they were recorded: the label that one gives to a claim.

Both eras read them alike; they differ in what the judge was shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.brainbench.judging.defects import Defect, Flaw
from proctor.brainbench.judging.replies import Asked, Message, called_with, read_replies
from proctor.brainbench.probes import Label

LABEL_TOOL: Final = "classify_claim"
"""The tool that the judge of a claim has to call."""

_WHAT_TO_GIVE = f"give a label, one of {', '.join(Label)}, and a rationale"


@dataclass(frozen=True, slots=True)
class LabelReply:
    """A reply that counts."""

    label: Label
    rationale: str


@dataclass(frozen=True, slots=True)
class SettledLabel:
    """What the replies to one question come to. ``label`` is None, and ``rationale`` says why, if none counts."""

    label: Label | None
    rationale: str
    asked: Asked[LabelReply]

    @property
    def judge_failed(self) -> bool:
        """Whether no reply counts."""
        return self.label is None


def read_label_reply(reply: Message) -> LabelReply | Flaw:
    """Read one reply."""
    arguments = called_with(reply, LABEL_TOOL, _WHAT_TO_GIVE)
    if isinstance(arguments, Flaw):
        return arguments
    label, rationale = arguments.get("label"), arguments.get("rationale")
    if label not in tuple(Label):
        return Flaw(Defect.LABEL_ENUM, f"the label is none of the three; {_WHAT_TO_GIVE}")
    if not isinstance(rationale, str):
        return Flaw(Defect.RATIONALE, f"the rationale is no text; {_WHAT_TO_GIVE}")
    return LabelReply(Label(label), rationale)


def settle_label(replies: Sequence[Message]) -> SettledLabel:
    """Settle the replies to one question: the first that counts, of two at most."""
    asked = read_replies(replies, read_label_reply)
    if asked.answer is None:
        return SettledLabel(None, asked.why_none, asked)
    return SettledLabel(asked.answer.label, asked.answer.rationale, asked)
