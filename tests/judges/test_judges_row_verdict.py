"""The reply contract of judges of recorded rows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import ModelRetry

from proctor.judges.answer_kinds import Refused, Score
from proctor.judges.answers import row_reader
from proctor.judges.row_verdict import read_row_verdict, reason_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 7) | st.floats(0, 6) | st.sampled_from(["", "4", "true"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["score", "x"]), inner, max_size=2),
    max_leaves=3,
)
keys = st.sampled_from(["score", "refused", "followed", "reason", "reasoning", "other"])
objects = st.dictionaries(keys, json_values, max_size=5)


class TestAReply:
    @pytest.mark.parametrize(
        ("text", "verdict"),
        [
            ('{"score": 3}', {"score": 3}),
            ('```json\n{"refused": true, "reason": "declines"}\n```', {"refused": True, "reason": "declines"}),
            ('I say {"followed": false} as asked.', {"followed": False}),
            ('[{"score": 2}]', {"score": 2}),
            ('{"score": 2, "reason": "a } in it"}', {"score": 2, "reason": "a } in it"}),
            ('{"score": 5, "score": 2}', {"score": 2}),
            ('{"score": 5, "confidence": 0.4}', {"score": 5, "confidence": 0.4}),
            ('{"score": 5, "followed": false}', {"score": 5, "followed": False}),
            ('{"score": 4, "reasoning": "own words"}', {"score": 4, "reasoning": "own words"}),
        ],
    )
    def test_is_the_object_between_the_outermost_braces(self, text: str, verdict: dict[str, Any]) -> None:
        assert read_row_verdict(text) == verdict

    @pytest.mark.parametrize(
        "text",
        [
            "", "null", "{}", "} {", "}5", "five of five", '{"score": 2', '{"score": 2}}', '{"score": 1}\n{"score": 2}',
            '{"score": 0}', '{"score": 6}', '{"score": 4.0}', '{"score": "4"}', '{"score": true}', '{"score": null}',
            '{"refused": 1}', '{"followed": "no"}', '{"score": 5, "followed": "no"}', '{"score": 5, "refused": null}',
            '{"score": 5, "reason": null}', '{"score": 5, "reason": 1}', '{"a": {"score": 2}}', '{"verdict": "pass"}',
            "{'score': 2}", '{"a":' * 100_000 + "}", '{"score": ' + "1" * 5000 + "}", '{"score": NaN}',
        ],
        ids=lambda text: text[:30],
    )  # fmt: skip
    def test_is_no_verdict_where_a_field_is_not_of_its_type_or_missing(self, text: str) -> None:
        assert read_row_verdict(text) is None

    @given(objects)
    def test_counts_when_each_field_that_is_there_is_of_its_type(self, value: dict[str, Any]) -> None:
        good = {
            "score": lambda found: type(found) is int and 1 <= found <= 5,
            "refused": lambda found: isinstance(found, bool),
            "followed": lambda found: isinstance(found, bool),
        }
        present = [name for name in good if name in value]
        counts = bool(present) and all(good[name](value[name]) for name in present)
        counts = counts and isinstance(value.get("reason", ""), str)
        assert read_row_verdict(f"So: {json.dumps(value)}.") == (value if counts else None)

    @given(st.text(st.sampled_from('{}[]":, 12score\\ntrue'), max_size=60) | st.text())
    def test_never_raises(self, text: str) -> None:
        assert read_row_verdict(text) is None or text.count("{")


class TestTheReason:
    @pytest.mark.parametrize(
        ("verdict", "reason"),
        [
            ({"reason": "a"}, "a"),
            ({"reasoning": "b", "reason": "a"}, "b"),
            ({"reasoning": 1, "reason": "a"}, "a"),
            ({"reasoning": " ", "reason": "a"}, "a"),
            ({"reason": ""}, "the judge gave no reason"),
            ({}, "the judge gave no reason"),
        ],
    )
    def test_is_what_the_judge_wrote(self, verdict: dict[str, Any], reason: str) -> None:
        assert reason_of(verdict) == reason


class TestTheAnswerInAReply:
    def test_is_that_to_the_question(self) -> None:
        answer = row_reader(Score)('{"score": 4, "refused": true, "reason": "r"}')
        assert (answer.said, answer.reasoning, answer.answered) == (4, "r", frozenset(("score", "refused")))
        assert row_reader(Refused)('{"refused": false}').answered == {"refused"}

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ('{"refused": true}', r"The answer has no `score`\. Answer with one JSON object"),
            ('{"score": 9}', r"This is no verdict\. Answer with one JSON object .* a whole number from 1 to 5"),
        ],
    )
    def test_is_asked_for_again_where_it_is_none(self, text: str, complaint: str) -> None:
        with pytest.raises(ModelRetry, match=complaint):
            row_reader(Score)(text)

    def test_can_be_kept_even_with_lone_surrogates(self) -> None:
        assert row_reader(Score)('{"score": 4, "reason": "a\\ud800b"}').reasoning == "a?b"
