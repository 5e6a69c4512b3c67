"""The data set as a format: which files it claims, and its published schema."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import RowSettings
from proctor.formats.assevra.dataset_format import AssevraFormat
from proctor.formats.assevra.scan import Tally
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.schema import published_schema

FORMAT = AssevraFormat()
ROW = '{"id": "a", "dimension": "pii", "agent_output": "fine"}\n'


class TestContent:
    @pytest.mark.parametrize(
        ("text", "claimed", "recognised"),
        [
            (ROW, True, True),
            ("\n \n\ufeff" + ROW, True, True),
            ("\ufeff" + ROW, True, True),
            ('{"id": "a", "agent_output": "fine"}\n', True, True),
            ("{broken\n" + ROW, True, True),
            (f"[{ROW}]", True, True),
            ('{"id": "a",\n"dimension": "pii"}', True, True),
            ('{"type": "lookup", "id": "a", "dimension": "pii"}', True, True),
            ("", True, False),
            ('{"id": "a", "question": "which dimension?"}', True, False),
            (json.dumps({"text": ROW}), True, False),
            ('{"type": "meta", "fixtureId": "x"}\n' + ROW, False, False),
            ('{"type":"session","version":3}\n{"args": {"dimension": "pii"}}', False, False),
        ],
    )
    def test_tells_data_sets_from_traces_and_from_anything_else(
        self, tmp_path: Path, text: str, claimed: bool, recognised: bool
    ) -> None:
        path = tmp_path / "rows.jsonl"
        path.write_text(text, encoding="utf-8")
        assert FORMAT.claims(path) is claimed
        assert FORMAT.recognises(path.read_bytes()) is recognised

    def test_does_not_matter_under_another_name(self, tmp_path: Path) -> None:
        (tmp_path / "rows.json").write_text(ROW, encoding="utf-8")
        assert not FORMAT.claims(tmp_path / "rows.json")

    def test_is_not_looked_for_in_folders_and_pipes(self, tmp_path: Path) -> None:
        (tmp_path / "folder.jsonl").mkdir()
        os.mkfifo(tmp_path / "pipe.jsonl")
        assert not any(FORMAT.claims(tmp_path / f"{name}.jsonl") for name in ("folder", "none", "pipe"))

    @pytest.mark.requires("peer-files")
    def test_of_the_peer_s_data_sets_is_recognised_and_of_no_other_file(self, require: Any) -> None:
        folder = require("peer-files")
        for path in folder.rglob("*.jsonl"):
            assert FORMAT.recognises(path.read_bytes()) is ("assevra" in path.relative_to(folder).parts), path


def test_scans_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(ROW, encoding="utf-8")
    found = FORMAT.scan(path, Path("rows.jsonl"), RowSettings(), strict=True, ids=SeenIds(), wanted=lambda row: True)
    assert found.total == Tally(1)


class TestTheSchema:
    SCHEMA = json.loads((files("proctor.formats") / "schemas/assevra.schema.json").read_text(encoding="utf-8"))

    def test_is_fresh(self) -> None:
        assert published_schema(FORMAT.model, FORMAT.title, "urn:proctor:schema:assevra") == self.SCHEMA

    def test_describes_every_field(self) -> None:
        for block in (self.SCHEMA, *self.SCHEMA["$defs"].values()):
            for name, part in block["properties"].items():
                assert part.get("description"), name

    def test_knows_every_dimension_and_what_it_needs(self) -> None:
        assert self.SCHEMA["properties"]["dimension"]["enum"] == list(DIMENSIONS)
        for dimension in DIMENSIONS.values():
            assert {*dimension.required, *dimension.answer_key} <= self.SCHEMA["properties"].keys()
