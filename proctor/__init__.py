"""Proctor runs eval files of LLM agents as Prefect flows.

- `evaluate` runs a spec in this process and gives its results.
- `proctor.plan` has what a check is written against; `proctor.results` what comes out.
- The command line is `proctor`; the flows are in ``proctor_flows``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor.api import Evaluation, evaluate, evaluate_async

__all__ = ["Evaluation", "evaluate", "evaluate_async"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from proctor import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
