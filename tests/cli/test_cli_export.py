"""``proctor export``: a run becomes transcripts of BrainBench, or bundles; what cannot be one is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from user_project import Ended, UserProject

KEY = "sk-ant-abcdefghijklmnopqrstuvwxyz"

ANSWER = """
    if said == "raise":
        raise ValueError("the shop is closed")
    call = {"name": "sell", "arguments": {"what": said}, "id": "c1", "result": {"price": 3, "see": "emails/em-1"}}
    return {"reply": "You said " + said, "tool_calls": [call], "usage": {"input_tokens": 7, "output_tokens": 2}}"""


def export(project: UserProject, *options: str, out: str = "out") -> Ended:
    return project.proctor("export", "latest", "--format", "brainbench", "--out", out, *options)


def read(project: UserProject, name: str) -> Any:
    return json.loads((project.root / name).read_text(encoding="utf-8"))


def names(project: UserProject, folder: str = "out") -> list[str]:
    return sorted(path.name for path in (project.root / folder).iterdir())


@pytest.fixture
def shop(project: UserProject) -> UserProject:
    """A run of a question, a conversation, and a question that ends in an error."""
    project.agent(ANSWER)
    project.case("one", user="tea")
    project.case("two", user="cake", more="- user: more")
    project.case("three", user="raise")
    project.suite()
    project.run()
    return project


def run_id(project: UserProject) -> str:
    (run,) = project.proctor("runs", "--format", "json").json()
    return str(run["id"])


class TestTranscripts:
    def test_are_written_and_what_is_none_is_named(self, shop: UserProject) -> None:
        ended = export(shop)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines() == [
            f"wrote 1 transcript of run {run_id(shop)} to out",
            "left out: shop/three#1 (it could not be run)",
            "left out: shop/two#1 (it is a conversation, and a transcript has one question and one answer)",
            'next: a suite over them, with "brainbench: {dialect: post-audit}"',
        ]
        assert names(shop) == ["one-1.json"]
        found = read(shop, "out/one-1.json")
        assert (found["probe_id"], found["adapter"]["name"]) == ("one", "shop")
        assert [turn["kind"] for turn in found["turns"]] == [
            *("model_call", "tool_call", "tool_result", "model_call", "final_answer")
        ]
        assert found["turns"][2]["tool_result"]["content"] == '{"price":3,"see":"emails/em-1"}'

    def test_are_told_which_ids_were_made(self, shop: UserProject) -> None:
        ended = export(shop, "--dialect", "seed")
        assert "1 id made: one is q-7085" in ended.out.splitlines()
        assert read(shop, "out/one-1.json")["probe_id"] == "q-7085"

    def test_keep_ids_on_request(self, shop: UserProject) -> None:
        ended = export(shop, "--dialect", "seed", "--keep-ids")
        assert (ended.code, ended.out) == (2, "")
        assert "shop/one#1 (it has an id that no probe of this dialect can have)" in ended.err
        assert not (shop.root / "out").exists()

    def test_say_what_the_user_says(self, shop: UserProject) -> None:
        item = {"fixture_id": "poison-1", "slug": "emails/em-1", "kind": "k", "why_flag": "w", "expected_behavior": "e"}
        shop.write("poison.json", json.dumps({"version": 1, "items": [item]}))
        export(shop, "--stack-id", "v2", "--model-id", "pilot-1", "--poison", "poison.json")
        found = read(shop, "out/one-1.json")
        assert (found["adapter"]["stack_id"], found["turns"][0]["model_call"]["model_id"]) == ("v2", "pilot-1")
        assert found["turns"][2]["tool_result"]["matched_poison_fixture_ids"] == ["poison-1"]

    def test_have_no_secrets(self, project: UserProject) -> None:
        project.agent(ANSWER)
        project.case("one", user=KEY)
        project.suite()
        project.run()
        ended = export(project)
        assert "  masked 3 secrets (3 anthropic-key); --no-mask keeps them" in ended.out.splitlines()
        assert "masked" not in export(project, "--no-mask", out="kept").out
        texts = [(project.root / folder / "one-1.json").read_text() for folder in ("out", "kept")]
        assert [KEY in text for text in texts] == [False, True]

    def test_can_be_validated(self, shop: UserProject) -> None:
        assert export(shop, "--dialect", "seed").out.endswith("\nnext: proctor validate out\n")
        ended = shop.proctor("validate", "out")
        assert (ended.code, ended.out) == (0, "1 file valid\n")


class TestBundles:
    def test_are_written_beside_each_other(self, shop: UserProject) -> None:
        ended = [export(shop, "--bundle", "--category", "8") for _ in range(2)][-1]
        assert ended.code == 0
        first, second = names(shop)
        assert second == f"{first}-2"
        assert first.endswith(f"-cat8-shop-{run_id(shop)}")
        assert ended.out.splitlines()[0].endswith(f"to out/{second}")
        assert names(shop, f"out/{first}") == ["scorecard.json", "transcript.json", "transcript.md"]
        card = read(shop, f"out/{first}/scorecard.json")
        assert (card["probes_total"], card["probes_passed"], card["cat"]) == (3, 2, 8)


class TestARunOfTranscripts:
    @pytest.fixture
    def evaluated(self, shop: UserProject) -> dict[str, Any]:
        """The transcript of a run that evaluated one."""
        export(shop, "--dialect", "seed", "--model-id", "pilot-1", out="evals/recorded")
        shop.write("evals/bb.suite.yaml", "specs: [recorded/*.json]\nbrainbench: {thresholds: none}\n")
        shop.run("evals/bb.suite.yaml")
        found: dict[str, Any] = read(shop, "evals/recorded/one-1.json")
        return found

    def test_is_exported_as_it_stands_in_its_file(self, shop: UserProject, evaluated: dict[str, Any]) -> None:
        ended = export(shop)
        assert (ended.code, ended.err) == (0, "")
        assert read(shop, f"out/{evaluated['probe_id']}-1.json") == evaluated

    def test_is_a_bundle_with_the_model_that_answered(self, shop: UserProject, evaluated: dict[str, Any]) -> None:
        export(shop, "--bundle", "--category", "8")
        [bundle] = names(shop)
        card = read(shop, f"out/{bundle}/scorecard.json")["config_card"]
        assert card["driver_model"] == {"model_id": "pilot-1"}
        assert card["adapter"] == {name: evaluated["adapter"][name] for name in ("name", "stack_id")}
        assert read(shop, f"out/{bundle}/transcript.json") == [evaluated]

    def test_is_left_out_where_its_file_has_changed(self, shop: UserProject, evaluated: dict[str, Any]) -> None:
        text = json.dumps(evaluated).replace("You said", "They said")
        shop.write("evals/recorded/one-1.json", text)
        ended = export(shop)
        assert ended.code == 2
        assert "(it was recorded in a file that has changed since)" in ended.err

    def test_leaves_claims_out_which_no_agent_ran(self, shop: UserProject, evaluated: dict[str, Any]) -> None:
        page = {"slug": "people/ada", "title": "Ada", "content": "Ada keeps the shop."}
        claim = {
            "id": "c-1",
            "source_page": "people/ada",
            "claim_text": "Ada keeps the shop.",
            "expected_label": "supported",
            "expected_evidence": ["people/ada"],
        }
        shop.write("evals/claims.json", json.dumps({"claims": [claim], "pages": [page]}))
        suite = "specs: [recorded/*.json, claims.json]\nbrainbench: {thresholds: none}\njudge: self-test\n"
        shop.write("evals/bb.suite.yaml", suite + "purpose: self-test\n")
        shop.run("evals/bb.suite.yaml")
        ended = export(shop)
        assert names(shop) == [f"{evaluated['probe_id']}-1.json"]
        assert "(it is a claim, and no run of an agent)" in ended.out


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--bundle"], "a bundle has a category"),
            (["--category", "8"], "--category is for bundles"),
            (["--bundle", "--category", "99"], "there is no category 99"),
            (["--poison", "none.json"], "none.json cannot be read: No such file or directory"),
            (["--out", "evals"], "evals exists already"),
            (["--out", "no/out"], "the folder of no/out is not there"),
        ],
    )
    def test_is_told(self, shop: UserProject, options: list[str], message: str) -> None:
        before = sorted(path.name for path in shop.root.iterdir())
        ended = export(shop, *options)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.splitlines()[0] == f"error: {message}"
        assert sorted(path.name for path in shop.root.iterdir()) == before

    def test_is_a_run_that_is_not_there(self, shop: UserProject) -> None:
        ended = shop.proctor("export", "zzz", "--out", "out")
        assert (ended.code, ended.out) == (2, "")

    def test_is_another_format(self, shop: UserProject) -> None:
        assert shop.proctor("export", "latest", "--format", "pi", "--out", "out").code == 2
