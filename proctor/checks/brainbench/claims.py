"""A claim of category 5 as a check: a judge labels it from source pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from proctor.brainbench.judging.claim_context import NoContext, claim_context
from proctor.brainbench.judging.texts import claim_texts
from proctor.brainbench.probes import Claim, Companions
from proctor.plan import CheckContext, JudgeRequest
from proctor.results import CheckResult, Outcome

CLAIM: Final = "claim"
"""The name of the check."""

QUESTION: Final = "How far do the source pages back the claim?"


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """Ask a judge for the label of a claim. It passes if that is the expected one, which the judge is not told.

    It looks at no trial: no agent says anything of a claim.
    """

    claim: Claim
    companions: Companions = field(repr=False)
    model: str | None = None
    name: ClassVar[str] = CLAIM

    def evaluate(self, context: CheckContext) -> CheckResult | JudgeRequest:  # noqa: ARG002 - it is about the claim
        """Put the question, or say what the suite lacks for it."""
        try:
            texts = claim_texts(self.claim, claim_context(self.claim, self.companions))
        except NoContext as problem:
            return CheckResult(self.name, Outcome.UNSCORED, str(problem))
        return JudgeRequest("claim_label", QUESTION, texts, self.model or None, expects=self.claim.expected.value)
