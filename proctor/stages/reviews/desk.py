"""The answers of a finished run as reviewers get them: what a judge is asked, and nothing that the judge said.

A run stores no evidence. It is made again from the files of the spec, and only an answer whose text is still the one
that the run graded can be reviewed under it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from proctor.config import Project
from proctor.errors import UsageError
from proctor.excerpt import quote
from proctor.jsonvalue import digest
from proctor.plan import CheckContext, JudgeRequest
from proctor.results import TrialRef
from proctor.stages.cases import Cases
from proctor.stages.reviews.graded_texts import graded_text, rubric_check
from proctor.stages.trial_checks import evaluate_check
from proctor.stages.validate import compile_plan
from proctor.store import RunRecord
from proctor.wording import listed

if TYPE_CHECKING:
    from proctor.store import Store

_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class Reviewable:
    """An answer to be reviewed: where it is, the digest of its text, and the question that a judge is asked of it."""

    ref: TrialRef
    content: str
    question: JudgeRequest


class ReviewDesk:
    """The answers of one run. ``texts`` has the digest of each, by trial."""

    def __init__(self, run_id: str, texts: Mapping[TrialRef, str], cases: Cases) -> None:
        self.run_id, self.texts = run_id, texts
        self._cases = cases

    def find(self, case: str | None = None, agent: str | None = None, trial: int | None = None) -> list[TrialRef]:
        """The trials that are meant; all of them by default.

        Raises:
            UsageError: there is none; it names those that there are.
        """
        refs = list(self.texts)
        for name, wanted in (("case", case), ("agent", agent), ("trial", trial)):
            if wanted is not None:
                refs = self._narrowed(refs, name, wanted)
        return refs

    def take(self, ref: TrialRef) -> Reviewable:
        """Put one answer on the desk.

        Raises:
            UsageError: its text is no longer what the run graded, or it is none that a judge would be asked about.
        """
        if not self._cases.is_recorded(ref) or graded_text(self._cases.of(ref)) != self.texts[ref]:
            raise UsageError(
                f"{_named(ref)} is no longer the answer that run {self.run_id} graded: a file changed since",
                hint="run the spec again and review that run",
            )
        case = self._cases.of(ref)
        check = rubric_check(case)
        assert check is not None, "a graded text has a rubric"  # noqa: S101
        assert case.recorded is not None, "a graded text is recorded"  # noqa: S101
        found = evaluate_check(check, CheckContext(case, case.recorded.trajectory))
        if not isinstance(found, JudgeRequest):
            raise UsageError(f"{_named(ref)} has no answer to grade: {found.reason}")
        return Reviewable(ref, self.texts[ref], found)

    def _narrowed(self, refs: Sequence[TrialRef], name: str, wanted: str | int) -> list[TrialRef]:
        found = [ref for ref in refs if getattr(ref, name) == wanted]
        if not found:
            said = quote(wanted, 80) if isinstance(wanted, str) else str(wanted)
            known = dict.fromkeys(getattr(ref, name) for ref in refs)
            names = listed([quote(each, 80) if isinstance(each, str) else str(each) for each in known], _NAMED)
            raise UsageError(f"there is no {name} {said} to review in run {self.run_id}", hint=f"there is {names}")
        return found


def open_desk(store: Store, record: RunRecord, project: Project) -> ReviewDesk:
    """Read the files of a run again.

    Raises:
        UsageError: the run is not finished, none of its answers is graded by a rubric, or its spec is gone.
        SpecError: its spec is no longer valid.
    """
    store.summary(record.id)  # an unfinished run has none, and its texts are not known yet
    texts = store.graded_texts(record.id)
    if not texts:
        raise UsageError(
            f"run {record.id} has no answer that a rubric grades, so there is nothing to review",
            hint="only transcripts with an answer are reviewed, and of probes with a rubric and gold pages",
        )
    compiled = compile_plan(Path(record.spec), project)
    return ReviewDesk(record.id, texts, Cases(compiled.plan, compiled.cases, compiled.read_cases))


def first_of_each_text(refs: Iterable[TrialRef], texts: Mapping[TrialRef, str]) -> dict[str, TrialRef]:
    """One trial for each text: who reviews one answer has reviewed all that are equal to it."""
    found: dict[str, TrialRef] = {}
    for ref in refs:
        found.setdefault(texts[ref], ref)
    return found


def waiting(refs: Iterable[TrialRef], desk: ReviewDesk, done: Collection[str], seed: int) -> list[TrialRef]:
    """The trials whose texts are not in ``done``, one for each, in an order that tells nothing of what they are.

    The order is that of the digest of seed and text: it stays the same when some of it is done.
    """
    found = {content: ref for content, ref in first_of_each_text(refs, desk.texts).items() if content not in done}
    return [found[content] for content in sorted(found, key=lambda content: digest([seed, content]))]


def _named(ref: TrialRef) -> str:
    return f"trial {ref.trial} of {quote(ref.case, 80)} by {quote(ref.agent, 80)}"
