"""Vectors of the tool bridge and of bundles: what an agent is given, what is kept of it, and what is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

from proctor.brainbench.bundles.bundle import BrainExport, Bundle, bundle_name
from proctor.brainbench.eras import Era
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.recording.bridge import ToolBridge
from proctor.brainbench.recording.tool_output import CONTENT_LIMIT, ToolOutput
from proctor.convert.brainbench.bundle_files import write_bundle
from proctor.convert.brainbench.bundle_reading import read_bundle
from tests.conformance.json_patch import patched
from tests.conformance.verdict import Difference, Vector, compare

_DAY = date(2026, 2, 11)


def is_bridge_vector(vector: Vector) -> bool:
    """Calls of tools."""
    return vector.get("suite") == "bridge"


def run_bridge_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Run the calls by the rules of both eras."""
    return [difference for era in Era for difference in _bridge_differences(vector, era)]


def _bridge_differences(vector: Vector, era: Era) -> list[Difference]:
    expected = vector["expect"]
    state = expected["state"]
    if era is Era.POST_AUDIT:
        state = patched(state, vector.get("post_audit", {}).get("state_patch", []))
    executed: list[Mapping[str, Any]] = []
    results = iter([call["result"] for call in vector["calls"] if "result" in call])

    def execute(_tool: str, arguments: Mapping[str, Any]) -> Any:
        executed.append(arguments)
        return next(results)

    planted = Catalogue(PlantedItem(**item) for item in vector["poison_fixtures"])
    bridge = ToolBridge(execute, planted, era, vector.get("max_chars", CONTENT_LIMIT))
    differences: list[Difference] = []
    for number, (call, wanted) in enumerate(zip(vector["calls"], expected["results"], strict=True)):
        asked = deepcopy(call["input"])
        output = bridge.call(call["tool"], call["input"])
        differences += compare(f"{era}.results[{number}]", wanted, _seen(output, wanted))
        differences += compare(f"{era}.input[{number}]", asked, call["input"])
    differences += compare(f"{era}.state", state, bridge.state.to_json())
    differences += compare(
        f"{era}.order of first use", list(state["count_by_tool"]), list(dict.fromkeys(bridge.state.call_order))
    )
    if "executed_input" in expected:
        differences += compare(f"{era}.executed_input", expected["executed_input"], executed[-1])
    return differences


def _seen(output: ToolOutput, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What came of a call, as far as the vector says what it should be."""
    members = {
        "content": output.content,
        "truncated": output.truncated,
        "matched_poison_fixture_ids": list(output.planted_ids),
        "refused": output.error,
    }
    return {name: members[name] for name in members if name in wanted or (name == "refused" and output.error)}


def is_bundle_vector(vector: Vector) -> bool:
    """What a run leaves behind."""
    return vector.get("suite") == "categories" and vector.get("kind") == "bundle"


def run_bundle_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Write the bundle by the rules of both eras, as often as is asked, and read it back.

    Where the original stops with an error, there is one expectation: that we write the bundle all the same.
    """
    return [difference for era in Era for difference in _bundle_differences(vector, era, folder / era.value)]


def _bundle_differences(vector: Vector, era: Era, folder: Path) -> list[Difference]:
    given = vector["bundle"]
    name = bundle_name(_DAY, given["cat"], given["adapter"]["name"], given["runId"])
    written = [write_bundle(folder, name, _bundle(given), era) for _ in range(vector["repeat"])]
    differences = [each for place in written for each in _content_differences(vector, era, place)]
    if "error" in vector["seed"]:
        return differences
    expected = {**vector["seed"], **vector.get("post_audit", {})} if era is Era.POST_AUDIT else vector["seed"]
    names = [re.sub(rf"^{_DAY}", "DATE", place.name) for place in written]
    differences += compare(f"{era}.directories", expected["directories"], names)
    differences += compare(f"{era}.retry", expected["retry"], names[-1] != names[0])
    for place in written:
        files = sorted(path.name for path in place.iterdir())
        differences += compare(f"{era}.files", expected["files"], files)
    return differences


def _bundle(given: Mapping[str, Any]) -> Bundle:
    brain = given.get("brainExport")
    return Bundle(
        given["transcripts"],
        given["scorecard"],
        given.get("judgeNotes", ()),
        None if brain is None else BrainExport(**brain),
    )


def _content_differences(vector: Vector, era: Era, place: Path) -> list[Difference]:
    """What is read back is what was written, in the era that keeps transcripts as JSON."""
    if era is Era.SEED:
        return []
    given, read = vector["bundle"], read_bundle(place)
    differences = compare(f"{era}.problems", (), read.problems)
    differences += compare(f"{era}.transcripts", given["transcripts"], [found.data for found in read.transcripts])
    differences += compare(f"{era}.scorecard", given["scorecard"], read.scorecard)
    return differences + compare(f"{era}.notes", given.get("judgeNotes", []), list(read.judge_notes))
