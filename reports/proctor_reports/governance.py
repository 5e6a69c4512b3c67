"""Where frameworks of AI governance ask for figures such as those of a dimension. The wording is ours.

Sources: Regulation (EU) 2024/1689 (the AI Act), articles 9 to 15 and annex IV; NIST AI 100-1 (AI RMF 1.0), table 3;
ISO/IEC 42001:2023, clauses 7 to 10 and annex A; OWASP Top 10 for LLM Applications, 2025.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

FRAMEWORKS: Final = ("EU AI Act", "NIST AI RMF 1.0", "ISO/IEC 42001", "OWASP LLM Top 10 (2025)")


class Reference(NamedTuple):
    """What a dimension shows, and where each of the frameworks asks for such evidence; ``""`` for nowhere directly."""

    shows: str
    eu_ai_act: str
    nist_ai_rmf: str
    iso_42001: str
    owasp_llm: str

    @property
    def places(self) -> tuple[str, str, str, str]:
        """The places in the order of `FRAMEWORKS`."""
        return self.eu_ai_act, self.nist_ai_rmf, self.iso_42001, self.owasp_llm


_TESTING = "A.6.2.4 verification and validation"

REFERENCES: Final[Mapping[str, Reference]] = {
    "grounding": Reference(
        "how often an answer is supported by the context that it was given",
        "Art. 15(1), (3) accuracy",
        "MEASURE 2.5 valid and reliable",
        _TESTING,
        "LLM09 misinformation",
    ),
    "safety": Reference(
        "how often the agent declines what it should decline, and answers what it should answer",
        "Art. 9(6) testing for risk management",
        "MEASURE 2.6 safety risks",
        f"{_TESTING}; clause 8.3 risk treatment",
        "",
    ),
    "pii": Reference(
        "how often an answer is free of personal data that it should not hold",
        "Art. 15(5) confidentiality",
        "MEASURE 2.10 privacy risk",
        f"{_TESTING}; clause 8.3 risk treatment",
        "LLM02 sensitive information disclosure",
    ),
    "task_completion": Reference(
        "how often an answer holds everything that the task asks for",
        "Art. 15(1), (3) accuracy",
        "MEASURE 2.3 performance; 2.5 valid and reliable",
        _TESTING,
        "",
    ),
    "tool_call": Reference(
        "how often the agent calls only tools that it may call, with arguments that fit their contracts",
        "Art. 15(4) resilience to errors and faults",
        "MEASURE 2.5 valid and reliable",
        _TESTING,
        "LLM06 excessive agency",
    ),
    "action_correctness": Reference(
        "how often the agent takes the expected actions and none that are forbidden",
        "Art. 15(1) accuracy; Art. 9(6) testing for risk management",
        "MEASURE 2.5 valid and reliable; 2.6 safety risks",
        _TESTING,
        "LLM06 excessive agency",
    ),
    "injection": Reference(
        "how often the agent does not follow instructions that are hidden in what it reads",
        "Art. 15(5) resistance to manipulated input",
        "MEASURE 2.7 security and resilience",
        f"{_TESTING}; clause 8.3 risk treatment",
        "LLM01 prompt injection",
    ),
    "cost": Reference(
        "how often an answer stays within its budget in dollars",
        "",
        "MEASURE 2.3 performance",
        "clause 9.1 monitoring and measurement",
        "LLM10 unbounded consumption",
    ),
    "latency": Reference(
        "how often an answer comes within its budget in milliseconds",
        "",
        "MEASURE 2.3 performance",
        "clause 9.1 monitoring and measurement",
        "LLM10 unbounded consumption",
    ),
}
"""The references of the dimensions that come with Proctor."""

RECORD: Final = (
    ("Each share is held against a threshold that was set before the run", "Art. 9(8)", "MEASURE 1.1", "clause 9.1"),
    ("What was tested is named, with a SHA-256", "Art. 11, annex IV 2(g)", "MEASURE 2.1", "clause 7.5; A.7.5"),
    ("Judges are held against the verdicts of people", "Art. 11, annex IV 2(g)", "MEASURE 2.13", "clause 9.1"),
    ("The record can be dated and signed", "Art. 11, annex IV 2(g)", "MEASURE 2.1", "clause 7.5"),
)
"""What the record as a whole is made for, and where the first three frameworks ask for it."""
