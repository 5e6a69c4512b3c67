"""The Assevra data set (JSONL, schema version 2): recorded rows, each scored by the dimension that it names.

The rules are those of Assevra 0.6.0; where Proctor differs on purpose, docs/formats/assevra.md says so.
"""

from typing import Final

CONFIG_NAMES: Final = (".assevra.yml", ".assevra.yaml", "assevra.yml", "assevra.yaml")
"""The names of its configuration file."""
