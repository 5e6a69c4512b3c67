"""Specs as Prefect flows: compile, run, serve, deploy.

`compile_spec` makes a flow of a spec; `proctor_flows.evaluate` holds the entry points for deployments. Importing the
package loads no Prefect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor_flows.compile import compile_spec

__all__ = ["compile_spec"]


def __getattr__(name: str) -> Any:
    if name == "compile_spec":
        from proctor_flows.compile import compile_spec

        return compile_spec
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
