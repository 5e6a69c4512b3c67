"""The nine dimensions by which recorded rows are scored.

To add one, write its module with a class that meets `proctor.checks.dimensions.base.Dimension` and one value of it,
and name the value in `DIMENSIONS`: a row is routed by its ``dimension``, and reports keep the order given here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from proctor.checks.dimensions.action_correctness import ACTION_CORRECTNESS
from proctor.checks.dimensions.base import Dimension
from proctor.checks.dimensions.cost import COST
from proctor.checks.dimensions.grounding import GROUNDING
from proctor.checks.dimensions.injection import INJECTION
from proctor.checks.dimensions.latency import LATENCY
from proctor.checks.dimensions.pii import PII
from proctor.checks.dimensions.safety import SAFETY
from proctor.checks.dimensions.task_completion import TASK_COMPLETION
from proctor.checks.dimensions.tool_call import TOOL_CALL

_IN_ORDER: Final[tuple[Dimension, ...]] = (
    GROUNDING,
    SAFETY,
    PII,
    TASK_COMPLETION,
    TOOL_CALL,
    ACTION_CORRECTNESS,
    INJECTION,
    COST,
    LATENCY,
)

DIMENSIONS: Final[Mapping[str, Dimension]] = MappingProxyType({dimension.name: dimension for dimension in _IN_ORDER})
"""Every known dimension by its name, in the order of the report."""
