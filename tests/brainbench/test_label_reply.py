"""The label that a judge gives to a claim: which replies count, and what two of them come to."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from proctor.brainbench.judging.defects import Defect, Flaw
from proctor.brainbench.judging.label_reply import LabelReply, read_label_reply, settle_label
from proctor.brainbench.probes import Label


def reply(label: Any, rationale: Any = "r", tool: str = "classify_claim") -> dict[str, Any]:
    return {
        "content": [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "name": tool, "input": {"label": label, "rationale": rationale}},
        ],
        "usage": {"input_tokens": 500, "output_tokens": 20},
    }


class TestAReply:
    @pytest.mark.parametrize("label", Label)
    def test_has_one_of_three_labels_and_a_rationale(self, label: Label) -> None:
        assert read_label_reply(reply(label.value)) == LabelReply(label, "r")

    @pytest.mark.parametrize(
        ("message", "defect", "text"),
        [
            (reply("supported", tool="score_answer"), Defect.NO_TOOL_USE, "the reply has no call of classify_claim"),
            (reply("Supported"), Defect.LABEL_ENUM, "the label is none of the three"),
            (reply(None), Defect.LABEL_ENUM, "the label is none of the three"),
            (reply(["supported"]), Defect.LABEL_ENUM, "the label is none of the three"),
            (reply("judge_failed"), Defect.LABEL_ENUM, "the label is none of the three"),
            (reply("supported", None), Defect.RATIONALE, "the rationale is no text"),
        ],
    )
    def test_that_does_not_count_says_what_is_wrong_and_what_to_give(
        self, message: Any, defect: Defect, text: str
    ) -> None:
        rest = "; give a label, one of supported, unsupported, over-generalized, and a rationale"
        assert read_label_reply(message) == Flaw(defect, text + rest)

    def test_counts_by_its_first_call(self) -> None:
        first, second = reply("unsupported"), reply("supported")
        assert read_label_reply({"content": first["content"] + second["content"]}) == LabelReply(Label.UNSUPPORTED, "r")


class TestSettling:
    def test_takes_the_first_reply_that_counts_and_books_both(self) -> None:
        settled = settle_label([reply("yes"), reply("supported", "page 2"), reply("unsupported")])
        assert (settled.label, settled.rationale, settled.judge_failed) == (Label.SUPPORTED, "page 2", False)
        assert (settled.asked.requests, settled.asked.defects, settled.asked.cost_usd) == (
            2,
            (Defect.LABEL_ENUM,),
            Decimal("0.0012"),
        )

    def test_of_two_replies_that_do_not_count_is_a_failure_of_the_judge(self) -> None:
        settled = settle_label([reply("yes"), {}, reply("supported")])
        assert (settled.label, settled.judge_failed, settled.asked.requests) == (None, True, 2)
        assert (settled.asked.tokens.input, settled.asked.tokens.output) == (500, 20)
        assert settled.rationale.startswith("the label is none of the three; ")
