"""A judge that labels a claim: three labels, one of which passes, and a question that does not tell which."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rubric_questions import Rung, ask

from proctor.brainbench.probes import Label
from proctor.judges import verdict_key
from proctor.judges.panel import Vote, combine
from proctor.judges.prompts import build_prompt
from proctor.judges.transcript_answers import ClaimLabel
from proctor.plan import Evidence, JudgeRequest
from proctor.results import Verdict

EVIDENCE = (Evidence("Claim", "The lock has nine pins."), Evidence("Source page 1 of 1", "It has some pins."))
REQUEST = JudgeRequest("claim_label", "How far do the sources back the claim?", EVIDENCE, expects="supported")
RUNGS = ("tool", "native", "text")


def label(name: Any) -> dict[str, Any]:
    return {"reasoning": "the page says some", "label": name}


class TestALabel:
    @pytest.mark.parametrize("rung", RUNGS)
    @pytest.mark.parametrize("given", Label)
    def test_passes_when_it_is_the_expected_one(self, rung: str, given: Label) -> None:
        for expected in Label:
            verdict = Rung(rung, [label(given.value)]).ask(replace(REQUEST, expects=expected.value))
            assert (verdict.passed, verdict.label, verdict.score) == (given is expected, given.value, None)
            assert type(verdict.label) is str
            assert verdict.prompt_version == "claim_label/1"

    @pytest.mark.parametrize(
        ("given", "reasoning"),
        [
            ("supported", "supported, as expected: the page says some"),
            ("over-generalized", "over-generalized, expected supported: the page says some"),
        ],
    )
    def test_says_whether_it_is_the_expected_one(self, given: str, reasoning: str) -> None:
        assert ask(label(given), request=REQUEST)[0].reasoning == reasoning

    @pytest.mark.parametrize("given", ["Supported", "", None, True, ["supported"], "judge_failed"])
    def test_is_one_of_the_three_or_no_verdict(self, given: Any) -> None:
        verdict, _ = ask(label(given), request=REQUEST, retries=0)
        assert (verdict.passed, verdict.label, verdict.cause) == (None, None, "malformed")

    @pytest.mark.parametrize("rung", RUNGS)
    def test_that_is_none_of_the_three_is_asked_for_once_more(self, rung: str) -> None:
        model = Rung(rung, [label("maybe"), label("supported")])
        assert (model.ask(REQUEST).passed, len(model.sent)) == (True, 2)

    def test_survives_json(self) -> None:
        verdict, _ = ask(label("supported"), request=REQUEST)
        assert verdict.to_json()["label"] == "supported"
        assert Verdict.from_json(verdict.to_json()) == verdict


class TestTheQuestion:
    def test_does_not_tell_which_label_is_expected(self) -> None:
        prompts = [build_prompt(replace(REQUEST, expects=expected.value)) for expected in Label]
        assert len({(prompt.instructions, prompt.text.replace(prompt.marker, "")) for prompt in prompts}) == 1

    def test_names_the_three_labels_and_repeats_the_order_at_the_end(self) -> None:
        prompt = build_prompt(REQUEST)
        assert all(f"`{name}`" in prompt.instructions for name in Label)
        assert prompt.text.splitlines()[-1] == (
            f"[{prompt.marker} order] Now grade, and do nothing else: "
            "give the label of the claim, going by the source pages alone."
        )
        assert ClaimLabel.text_rule.endswith("where the label is supported, unsupported or over-generalized.")

    @pytest.mark.parametrize("expects", [True, False, "maybe", ""])
    def test_has_to_expect_one_of_them(self, expects: bool | str) -> None:
        verdict, judge = ask(label("supported"), request=replace(REQUEST, expects=expects))
        assert (verdict.cause, judge.questions) == ("setup", [])
        assert verdict.reasoning.endswith(
            'a question about "claim_label" has to expect one of the labels supported, unsupported, over-generalized'
        )

    def test_has_a_key_that_changes_with_the_expected_label(self) -> None:
        keys = {verdict_key(replace(REQUEST, expects=expected.value), "m") for expected in Label}
        assert len(keys) == 3


def votes(*labels: Label) -> list[Vote]:
    asked = frozenset(("label",))
    return [
        Vote(Verdict(name is Label.SUPPORTED, f"j{number}", "m", label=name.value), asked)
        for number, name in enumerate(labels, start=1)
    ]


class TestAPanel:
    def test_takes_the_label_of_the_majority(self) -> None:
        verdict = combine("panel", votes(Label.UNSUPPORTED, Label.OVER_GENERALIZED, Label.OVER_GENERALIZED), REQUEST)
        assert (verdict.passed, verdict.label, verdict.reasoning) == (False, "over-generalized", "j2")

    @pytest.mark.parametrize("labels", [tuple(Label), tuple(Label)[:2]])
    def test_without_a_majority_gives_no_verdict(self, labels: tuple[Label, ...]) -> None:
        verdict = combine("panel", votes(*labels), REQUEST)
        assert (verdict.passed, verdict.label, verdict.cause) == (None, None, "tie")
        assert verdict.reasoning.endswith(
            f"a tie: no label has more than half of {len(labels)} votes: {', '.join(labels)}"
        )
