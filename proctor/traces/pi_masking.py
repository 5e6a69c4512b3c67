"""Mask what the turns of a fixture say, and leave what holds them together."""

from __future__ import annotations

from typing import Any, Final

from proctor.masking import Masker

_KEPT: Final = frozenset(("type", "id", "name", "mimeType", "textSignature", "thinkingSignature", "thoughtSignature"))
"""Members of a block that are no text: names, and signatures that a provider would refuse if they were changed."""


def mask_turn(turn: dict[str, Any], masker: Masker) -> dict[str, Any]:
    """The turn with its texts, arguments and results masked; ids, names of tools, signatures and images stay."""
    content = turn["content"]
    masked = masker.mask(content) if isinstance(content, str) else [_block(block, masker) for block in content]
    return {**turn, "content": masked}


def _block(block: dict[str, Any], masker: Masker) -> dict[str, Any]:
    if block["type"] == "image":
        return block
    return {name: value if name in _KEPT else masker.mask(value) for name, value in block.items()}
