"""The transcript format: what a file becomes, and every sentence about what it should not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.checks.arguments import ToolArgumentsEqual, ToolArgumentsJudged
from proctor.checks.judged import ReplyJudged
from proctor.checks.reply import ReplyContains, ReplyMatches
from proctor.checks.tools import ToolsExcluded, ToolsIncluded
from proctor.errors import SpecError
from proctor.formats import FORMATS, Defaults, Loaded, format_named, format_of
from proctor.plan import Case

PATH = Path("evals/case.yaml")


def load(text: str, defaults: Defaults | None = None) -> Loaded:
    return format_named("transcript").load(PATH, text.encode(), defaults or Defaults())


def told(text: str) -> list[str]:
    """The problems of a text in their order, without the file's name."""
    return [str(problem).removeprefix(f"{PATH}:") for problem in SpecError(load(text).problems).problems]


def case_of(text: str, defaults: Defaults | None = None) -> Case:
    found = load(text, defaults)
    assert found.problems == ()
    [case] = found.cases
    return case


class TestACase:
    def test_has_what_its_author_wrote(self) -> None:
        case = case_of(
            "# one\n\nid: one\nruns: 3.0\nthreshold: 1\ntags: [a, b]\nturns:\n- user: |\n    hi\n- user: ''\n"
        )
        assert (case.key, case.outline.id, case.outline.line) == ("one", "one", 3)
        assert (case.outline.runs, case.outline.threshold, case.outline.tags) == (3, 1.0, ("a", "b"))
        assert case.outline.markers == ("agent_eval",)
        assert [turn.user for turn in case.turns] == ["hi\n", ""]

    def test_gets_the_defaults_that_it_is_silent_about(self) -> None:
        outline = case_of("id: one\nturns: [{user: hi}]\n", Defaults(runs=7, threshold=0.3)).outline
        assert (outline.runs, outline.threshold) == (7, 0.3)
        outline = case_of("id: one\nruns: 1\nthreshold: 0\nturns: [{user: hi}]\n", Defaults(7, 0.3)).outline
        assert (outline.runs, outline.threshold) == (1, 0.0)

    def test_has_its_checks_in_the_order_of_the_original(self) -> None:
        text = """
id: one
turns:
- user: hi
  expect:
    judge: {rubric: r, model: m}
    tool_calls_args:
    - {tool: t, args: {k: 1}, mode: exact, judge: {rubric: q}}
    - {tool: u, judge: {rubric: p, model: ''}}
    reply_matches_all: [d]
    reply_matches_any: [c]
    reply_contains_all: [b]
    reply_contains_any: [a]
    tool_calls_exclude: [x]
    tool_calls_include: [t]
    tool_calls_ordered: true
"""
        case = case_of(text)
        assert case.turns[0].checks == (
            ToolsIncluded(("t",), ordered=True),
            ToolsExcluded(("x",)),
            ReplyContains(("a",), any=True),
            ReplyContains(("b",), any=False),
            ReplyMatches(("c",), any=True),
            ReplyMatches(("d",), any=False),
            ReplyJudged("r", "m"),
            ToolArgumentsEqual(0, "t", {"k": 1}, "exact"),
            ToolArgumentsJudged(0, "t", "q"),
            ToolArgumentsJudged(1, "u", "p", ""),
        )
        assert case.outline.judges == ("m", "", "")
        assert len({check.name for check in case.turns[0].checks}) == 10

    def test_with_empty_lists_checks_nothing(self) -> None:
        empty = "{reply_contains_any: [], tool_calls_include: [], tool_calls_args: []}"
        assert case_of(f"id: one\nturns: [{{user: hi, expect: {empty}}}]\n").turns[0].checks == ()

    def test_takes_what_a_merge_key_brings(self) -> None:
        case = case_of("id: one\nturns:\n- &t {user: hi, expect: {reply_contains_any: [a]}}\n- {<<: *t, user: ho}\n")
        assert [turn.user for turn in case.turns] == ["hi", "ho"]
        assert case.turns[0].checks == case.turns[1].checks

    @pytest.mark.parametrize(
        ("audio", "path"),
        [("a.wav", "evals/a.wav"), ("../a.wav", "evals/../a.wav"), ("/a.wav", "/a.wav"), ("''", "evals"),
         ("./x/a.wav", "evals/x/a.wav"), ("https://h/a.wav", "https://h/a.wav")],
    )  # fmt: skip
    def test_has_a_path_for_its_audio(self, audio: str, path: str) -> None:
        assert case_of(f"id: one\nturns: [{{user: hi, audio: {audio}}}]\n").turns[0].audio == path


class TestAProblem:
    @pytest.mark.parametrize(
        ("text", "problems"),
        [
            ("", ["1:1: error [wrong_type] must be a mapping, got null"]),
            ("[a]", ["1:1: error [wrong_type] must be a mapping, got a list (['a'])"]),
            ("hello", ["1:1: error [wrong_type] must be a mapping, got a text ('hello')"]),
            (
                "threshold: 0.5\n",
                [
                    "1:1: error [missing_field] id: the field 'id' is required",
                    "1:1: error [missing_field] turns: the field 'turns' is required",
                ],
            ),
            ("id: a\nturns: []\n", ["2:8: error [empty] turns: a transcript needs at least one turn"]),
            ("id: a\nturns: {}\n", ["2:8: error [empty] turns: a transcript needs at least one turn"]),
            ("id: a\nturns: {user: a}\n", ["2:8: error [wrong_type] turns: must be a list, got a mapping"]),
            (
                "id: a\nturns:\n- hi\n- {}\n",
                [
                    "3:3: error [wrong_type] turns[0]: must be a mapping, got a text ('hi')",
                    "4:3: error [missing_field] turns[1].user: the field 'user' is required",
                ],
            ),
            (
                "id: a\ntags: x\nturns: [{user: a, expect: {tool_calls_include: book}}]\n",
                [
                    "2:7: error [wrong_type] tags: must be a list, got a text ('x') (write ['x'])",
                    ("3:48: error [wrong_type] turns[0].expect.tool_calls_include: must be a list, got a text ('book') "
                    "(write ['book'])"),
                ],
            ),
            (
                "id: a\nturn: []\nturns: [{user: a, usr: b, expect: {reply_contain_any: [x], zebra: 1}}]\n",
                [
                    ("2:1: error [unknown_field] turn: unknown field 'turn' (did you mean 'turns'? allowed: "
                    "id, threshold, "
                    "runs, tags, turns)"),
                    ("3:19: error [unknown_field] turns[0].usr: unknown field 'usr' (did you mean 'user'? "
                    "allowed: user, "
                    "audio, expect)"),
                    ("3:36: error [unknown_field] turns[0].expect.reply_contain_any: unknown field "
                    "'reply_contain_any' (did "
                    "you mean 'reply_contains_any'? allowed: reply_contains_any, reply_contains_all, "
                    "reply_matches_any, "
                    "reply_matches_all, tool_calls_include, tool_calls_exclude, tool_calls_ordered, "
                    "tool_calls_args, judge)"),
                    ("3:60: error [unknown_field] turns[0].expect.zebra: unknown field 'zebra' (allowed: "
                    "reply_contains_any, reply_contains_all, reply_matches_any, reply_matches_all, tool_calls_include, "
                    "tool_calls_exclude, tool_calls_ordered, tool_calls_args, judge)"),
                ],
            ),
            (
                "id: a\nruns: 0\nthreshold: 1.5\nturns: [{user: a}]\n",
                [
                    "2:7: error [out_of_range] runs: the value should be greater than or equal to 1, got 0",
                    "3:12: error [out_of_range] threshold: the value should be less than or equal to 1, got 1.5",
                ],
            ),
            (
                "id: a\nruns: 1.5\nthreshold: .nan\nturns: [{user: a}]\n",
                [
                    "2:7: error [wrong_type] runs: must be a whole number, got a number (1.5)",
                    "3:12: error [out_of_range] threshold: the value should be a finite number, got nan",
                ],
            ),
            (
                "id: a\nruns: yes\nthreshold: '0.5'\nturns: [{user: a, expect: {tool_calls_ordered: 1}}]\n",
                [
                    "2:7: error [wrong_type] runs: must be a whole number, got true",
                    "3:12: error [wrong_type] threshold: must be a number, got a text ('0.5')",
                    ("4:48: error [wrong_type] turns[0].expect.tool_calls_ordered: must be true or false, got "
                    "a number (1)"),
                ],
            ),
            (
                "id: a\nturns: [{user: a, audio: null, expect: null}]\n",
                [
                    "2:26: error [wrong_type] turns[0].audio: must not be null: leave the key out instead",
                    "2:40: error [wrong_type] turns[0].expect: must not be null: leave the key out instead",
                ],
            ),
            (
                "id: a\nturns: [{user: a, expect: {reply_matches_any: ['(', a]}}]\n",
                [
                    ("2:48: error [invalid_pattern] turns[0].expect.reply_matches_any[0]: not a valid Python regular "
                    "expression: missing ), unterminated subpattern at position 0"),
                ],
            ),
            (
                "id: a\nturns: [{user: a, expect: {tool_calls_args: [{tool: t}, {tool: t, args: {}, mode: part}]}}]\n",
                [
                    ("2:46: error [needs_args_or_judge] turns[0].expect.tool_calls_args[0]: an entry needs "
                    "'args', 'judge' "
                    "or both"),
                    ("2:83: error [bad_choice] turns[0].expect.tool_calls_args[1].mode: the value should be "
                    "'subset' or "
                    "'exact', got 'part'"),
                ],
            ),
        ],
    )  # fmt: skip
    def test_is_told_at_its_place(self, text: str, problems: list[str]) -> None:
        assert told(text) == problems
        assert load(text).cases == ()

    @pytest.mark.parametrize(
        "pattern", ["a{99999999999999999999}", "(?i", "*", "[b-a]", "a(?i)b", "(" * 5000 + ")" * 5000]
    )
    def test_may_be_any_pattern_that_python_refuses(self, pattern: str) -> None:
        [problem] = told(f"id: a\nturns: [{{user: a, expect: {{reply_matches_any: ['{pattern}']}}}}]\n")
        assert problem.startswith("2:48: error [invalid_pattern] turns[0].expect.reply_matches_any[0]: not a valid")
        assert len(problem) < 400

    def test_of_the_yaml_is_told_beside_those_of_the_format(self) -> None:
        assert [line.partition("]")[0] for line in told("id: a\nid: 1\nturns: [{user: a}]\nx: 1\n")] == [
            "2:1: error [duplicate_key",
            "2:5: error [wrong_type",
            "4:1: error [unknown_field",
        ]

    def test_of_a_merged_part_is_where_it_was_written(self) -> None:
        text = "id: a\nturns:\n- &t\n  user: hi\n  expect: {judge: {rubrik: x}}\n- <<: *t\n  user: 5\n"
        assert [(line.partition(":")[2].partition(":")[0], line.partition("] ")[2].partition(":")[0])
                for line in told(text)] == [
            ("19", "turns[0].expect.judge.rubric"),
            ("19", "turns[1].expect.judge.rubric"),
            ("20", "turns[0].expect.judge.rubrik"),
            ("20", "turns[1].expect.judge.rubrik"),
            ("9", "turns[1].user"),
        ]  # fmt: skip

    def test_of_a_key_that_is_no_text_quotes_it(self) -> None:
        assert told("id: a\n10:30: b\nturns: [{user: a, no: x}]\n") == [
            (
                "2:1: error [wrong_type] a key must be a text; '10:30' is read as 630 (a number) (put it in "
                'quotes: "10:30")'
            ),
            "3:19: error [wrong_type] turns[0]: a key must be a text; 'no' is read as false (put it in quotes: \"no\")",
        ]

    def test_quotes_what_was_written_and_how_it_is_read(self) -> None:
        assert told("id: 10:30\nturns: [{user: yes}]\n") == [
            (
                "1:5: error [wrong_type] id: must be a text; '10:30' is read as 630 (a number) (put it in "
                'quotes: "10:30")'
            ),
            "2:16: error [wrong_type] turns[0].user: must be a text; 'yes' is read as true (put it in quotes: \"yes\")",
        ]


class TestAWarning:
    ARGS = "id: a\nturns:\n- user: hi\n  expect:\n    tool_calls_args:\n    - tool: t\n      args: {}\n"

    @pytest.mark.parametrize(
        ("args", "problems"),
        [
            ("{time: 10:30}", ["7:20: '10:30' is read as 630 (a number)|10:30"]),
            ("{zip: 01234}", ["7:19: '01234' is read as 668 (a number)|01234"]),
            ("{day: 2031-05-06}", ["7:19: '2031-05-06' is read as 2031-05-06 (a date)|2031-05-06"]),
            ("{ok: yes, no: x}", [
                "7:18: 'yes' is read as true|yes",
                "7:23: the key 'no' is read as false; JSON keys are text|no",
            ]),
            ("{deep: [{x: off}]}", ["7:25: 'off' is read as false|off"]),
            ("{count: 5, ratio: 0.5, flag: true, none: null, name: word, quoted: '10:30'}", []),
        ],
    )  # fmt: skip
    def test_is_told_for_surprises_inside_args(self, args: str, problems: list[str]) -> None:
        seen = told(self.ARGS.replace("{}", args))
        wanted = []
        for line in problems:
            place, _, rest = line.partition(": ")
            message, _, written = rest.partition("|")
            wanted.append((place, message, f'(put it in quotes if text is meant: "{written}")'))
        assert len(seen) == len(wanted)
        for line, (place, message, hint) in zip(sorted(seen), sorted(wanted), strict=True):
            assert line.startswith(f"{place}: warning [read_as] turns[0].expect.tool_calls_args[0].args")
            assert f": {message} {hint}" in line

    def test_stops_nothing(self) -> None:
        found = load(self.ARGS.replace("{}", "{time: 10:30}"))
        assert len(found.cases) == 1

    @pytest.mark.parametrize(
        ("runs", "threshold", "hint"),
        [(3, "0.67", "for 2 of 3 write 0.66"), (10, "0.91", "for 9 of 10 write 0.90"),
         (2, "0.6", "for 1 of 2 write 0.50"),
         (1000, "0.9995", "for 999 of 1000 write 0.999"), (7, "0.9", "for 6 of 7 write 0.85")],
    )  # fmt: skip
    def test_is_told_for_a_threshold_that_means_all(self, runs: int, threshold: str, hint: str) -> None:
        [line] = told(f"id: a\nruns: {runs}\nthreshold: {threshold}\nturns: [{{user: a}}]\n")
        assert line == (
            f"3:12: warning [threshold_means_all] threshold: {threshold} of {runs} runs means {runs} of "
            f"{runs}: every run "
            f"must pass ({hint})"
        )

    @pytest.mark.parametrize(("runs", "threshold"), [(3, "0.66"), (3, "1"), (1, "0.5"), (5, "0.8"), (3, "0")])
    def test_is_not_told_for_a_threshold_that_does_not(self, runs: int, threshold: str) -> None:
        assert told(f"id: a\nruns: {runs}\nthreshold: {threshold}\nturns: [{{user: a}}]\n") == []

    def test_of_an_enormous_number_of_runs_is_thought_about_at_once(self) -> None:
        assert told(f"id: a\nruns: 1{'0' * 40}\nthreshold: 0.9\nturns: [{{user: a}}]\n") == []


class TestWhichFilesAreTranscripts:
    @pytest.mark.parametrize("name", ["a.yaml", "a.yml", ".a.yaml", "a.suite.d.yaml"])
    def test_are_those_in_lower_case_yaml(self, name: str) -> None:
        assert format_of(Path(name)) is FORMATS[0]

    @pytest.mark.parametrize("name", ["a.YAML", "a.json", "a.suite.yaml", "a.suite.yml", "yaml", "a.yaml.txt"])
    def test_are_not_others(self, name: str) -> None:
        assert format_of(Path(name)) is None

    @pytest.mark.parametrize(
        ("data", "recognised"),
        [
            (b"id: a\nturns: []", True),
            (b"\nturns :\n  - x\nid: a", True),
            (b"# id: a\nturns: []", False),
            (b"- id: a\n  turns: []", False),
            (b"version: 1", False),
        ],
    )
    def test_are_recognised_by_both_required_keys(self, data: bytes, recognised: bool) -> None:
        assert format_named("transcript").recognises(data) is recognised
