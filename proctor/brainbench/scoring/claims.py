"""Category 5 as a whole: how often a judge's label of a claim is the expected one, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Tokens
from proctor.brainbench.probes import Label
from proctor.brainbench.scoring.accounting import Accounting, Origin, ProbeError, account, rate
from proctor.brainbench.scoring.verdicts import CategoryVerdict, category_verdict

JUDGE_FAILED: Final = "judge_failed"
"""What stands in the place of a label when the judge gave none."""

CLAIM_THRESHOLD: Final = 0.90
"""The share of claims that have to be labelled as expected, at least."""


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim that was put to a judge. ``predicted`` is None where the judge gave no label; ``reason`` says why.

    ``tokens`` are those of all replies.
    """

    claim_id: str
    expected: Label
    predicted: Label | None
    reason: str = ""
    tokens: Tokens = field(default_factory=Tokens)


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """One run of the judge.

    ``by_predicted`` counts all claims put to the judge, `JUDGE_FAILED` last; ``by_expected`` the same claims by the
    label that they should have; ``tokens`` are those of all. An accuracy or a share of nothing is absent; the seed era
    says 0.
    """

    accounting: Accounting
    by_predicted: Mapping[str, int]
    by_expected: Mapping[str, int]
    accuracy: float | None
    judge_failure_rate: float | None
    tokens: Tokens
    verdict: CategoryVerdict


def claim_run(
    planned: Sequence[str],
    labelled: Iterable[LabelledClaim],
    errors: Iterable[ProbeError] = (),
    threshold: float | None = None,
    era: Era = Era.POST_AUDIT,
) -> ClaimRun:
    """Sum up the labels of a run.

    A claim without a label is an error of the judge: the seed era counts it as wrong, since the audit it is lost.
    ``errors`` are those of claims that never came to the judge. Without a ``threshold`` there is a baseline and no
    verdict.

    Raises:
        ValueError: see `account`.
    """
    claims = tuple(labelled)
    failed = [claim for claim in claims if claim.predicted is None]
    matches = {claim.claim_id: float(claim.predicted is claim.expected) for claim in claims if claim.predicted}
    judged = (ProbeError(claim.claim_id, Origin.JUDGE, claim.reason) for claim in failed)
    accounting = account(planned, matches, (*errors, *judged), era)
    accuracy = rate(sum(score == 1 for score in accounting.scores.values()), accounting.n_scored, era)
    reached = None if threshold is None else accuracy is not None and accuracy >= threshold
    predicted = Counter(claim.predicted or JUDGE_FAILED for claim in claims)
    expected = Counter(claim.expected for claim in claims)
    return ClaimRun(
        accounting=accounting,
        by_predicted={label: predicted[label] for label in (*Label, JUDGE_FAILED)},
        by_expected={label: expected[label] for label in Label},
        accuracy=accuracy,
        judge_failure_rate=rate(len(failed), len(claims), era),
        tokens=Tokens(sum(claim.tokens.input for claim in claims), sum(claim.tokens.output for claim in claims)),
        verdict=category_verdict(accounting, reached=reached, era=era),
    )
