"""The hint on an unknown key names the keys of its own place."""

from __future__ import annotations

import pytest

from proctor.config import AgentEvalSettings, ProjectSettings
from proctor.known_keys import nearest_key

JUDGE = "allowed: model, panel, base_url, api_key_env, max_tokens, temperature, retries, timeout, backoff, ask"
GATE = "allowed: threshold, tags, pytest_markers, must_pass"


class TestNearestKey:
    @pytest.mark.parametrize(
        ("pointer", "hint"),
        [
            (["judge", "modle"], f"did you mean 'model'? {JUDGE}"),
            (["judge", "xyz"], JUDGE),
            (["timeouts", "turns"], "did you mean 'turn'? allowed: turn, trial"),
            (
                ["agent", "wiht"],
                "did you mean 'with'? allowed: python, http, command, with, args, headers, version, inputs",
            ),
        ],
    )
    def test_of_a_block_is_one_of_the_block(self, pointer: list[str], hint: str) -> None:
        assert nearest_key(ProjectSettings, pointer) == hint

    @pytest.mark.parametrize("name", ["core", "tags"])
    def test_below_a_free_name_is_one_of_what_has_the_name(self, name: str) -> None:
        assert nearest_key(AgentEvalSettings, ["groups", name, "tag"]) == f"did you mean 'tags'? {GATE}"
