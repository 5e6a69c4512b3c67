"""Export the trials of a run as transcripts of BrainBench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.recording.probe_ids import ProbeIds, is_probe_id
from proctor.brainbench.recording.recorder import Adapter, Unrecordable
from proctor.brainbench.recording.trials import gaps, only_turn, transcript_of
from proctor.brainbench.transcript import Transcript
from proctor.convert.brainbench.agent_tally import AgentTally
from proctor.convert.brainbench.transcript_file import refuse_unreadable
from proctor.convert.masked import masked_trajectory
from proctor.convert.refusals import ROW_TO_PI
from proctor.dataset import RECORDED
from proctor.excerpt import quote
from proctor.masking import Masker
from proctor.plan import RECORDING
from proctor.results import RunResults, TrialRef, TrialScore
from proctor.trajectory import JsonValue
from proctor.wording import count, listed

_NAMED: Final = 10
"""Trials that are named for each reason to leave one out."""
_NO_TIME: Final = "when it was recorded is not known: started_at is when the run began that judged it"


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How trials are exported.

    ``keep_ids`` leaves out cases whose ids no probe can have, instead of making ids of them. ``stack_id`` is by default
    the beginning of each agent's fingerprint. ``model_id`` is the model that answered, where the user says so.
    ``environment``: variables whose values are masked if they are secrets; None masks nothing at all.
    """

    dialect: Era = Era.POST_AUDIT
    keep_ids: bool = False
    stack_id: str | None = None
    model_id: str | None = None
    planted: Catalogue = field(default_factory=Catalogue)
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ExportedTrial:
    """A trial and its transcript. ``number`` counts from 1."""

    agent: str
    case: str
    number: int
    score: TrialScore
    transcript: dict[str, Any]


class Export:
    """The transcripts of a run, one by one, and what there is to tell when they have been read.

    ``original`` gives the transcript that a trial is, where the run evaluated recorded ones, None for one that another
    format holds, or raises `Unrecordable`. Without it, such trials are recorded anew from what the store keeps of them.
    """

    def __init__(
        self,
        results: RunResults,
        options: ExportOptions,
        original: Callable[[TrialScore], Transcript | None] | None = None,
    ) -> None:
        self.summary = results.summary
        self.options = options
        self.masker = None if options.environment is None else Masker(options.environment)
        self.warnings: Counter[str] = Counter()
        """The number of transcripts that each warning is about."""
        self.rewritten: dict[str, str] = {}
        """The ids that were made for cases, by case."""
        self.tallies: dict[str, AgentTally] = {}
        """What became of all trials of each agent, also of those that are left out."""
        self._ids = ProbeIds(options.dialect, self._own_ids(results))
        self._results = results
        self._original = original
        found = results.summary.transcripts
        self._adapters = frozenset(card.agent for card in found.adapters) if found else frozenset()
        self._left_out: dict[str, list[str]] = {}
        self._rows = 0

    def read(self) -> Iterator[ExportedTrial]:
        """The trials that are transcripts; the others are left out."""
        self._rows = sum(1 for _ in self._results.rows())
        for detail in self._results.cases():
            if detail.score.agent == RECORDED:
                self._rows += len(detail.trials)
                continue
            self.tallies.setdefault(detail.score.agent, AgentTally()).take(detail)
            for score in detail.trials:
                try:
                    yield self._exported(score)
                except Unrecordable as error:
                    self._left_out.setdefault(str(error), []).append(_name(score))

    def left_out(self) -> Iterator[str]:
        """What is no transcript, and why."""
        for why, names in self._left_out.items():
            yield f"{listed(names, _NAMED)} (it {why})"
        if self._rows:
            yield f"{count(self._rows, 'recorded row')} ({ROW_TO_PI})"

    def _own_ids(self, results: RunResults) -> Iterator[str]:
        """The ids of all cases, where ids that are made could be the same as one of them."""
        if self.options.dialect is Era.SEED:
            yield from {detail.score.case for detail in results.cases()}

    def _exported(self, score: TrialScore) -> ExportedTrial:
        ref = score.ref
        only_turn(score.trajectory)
        original = self._original(score) if self._original is not None and self._may_have_one(ref) else None
        transcript = self._recorded(score) if original is None else self._kept(original)
        refuse_unreadable(transcript, self.options.dialect)
        if transcript["probe_id"] != ref.case:
            self.rewritten[ref.case] = transcript["probe_id"]
        return ExportedTrial(ref.agent, ref.case, ref.trial + 1, score, transcript)

    def _recorded(self, score: TrialScore) -> dict[str, Any]:
        """The transcript of a trial that an agent played, or that another format recorded."""
        ref, trajectory = score.ref, score.trajectory
        if self.masker is not None:
            trajectory = masked_trajectory(trajectory, self.masker)
        transcript = transcript_of(
            trajectory,
            self._probe_id(ref.case),
            self._adapter(ref),
            _moment(trajectory.cached.created_at if trajectory.cached else self.summary.started_at),
            self.options.planted,
            self.options.model_id,
        )
        self.warnings.update(gaps(trajectory))
        self.warnings.update([_NO_TIME] if ref.agent == RECORDING else [])
        return transcript

    def _may_have_one(self, ref: TrialRef) -> bool:
        return ref.agent in self._adapters or ref.agent == RECORDING

    def _kept(self, original: Transcript) -> dict[str, Any]:
        """A transcript without secrets, and with an id of the dialect."""
        turns = original["turns"] if self.masker is None else self.masker.mask(original["turns"])
        return {**original, "probe_id": self._probe_id(original["probe_id"]), "turns": turns}

    def _probe_id(self, case: str) -> str:
        if self.options.keep_ids and not is_probe_id(case, self.options.dialect):
            raise Unrecordable("has an id that no probe of this dialect can have")
        made = self._ids.give(case)
        if made is None:
            raise Unrecordable("is one of more than 10,000 cases, and there are no more ids")
        return made

    def _adapter(self, ref: TrialRef) -> Adapter:
        told: dict[str, JsonValue] = {
            "recorder": f"proctor/{version('proctor-evals')}",
            "run": self.summary.run_id,
            "case": ref.case,
            "trial": ref.trial + 1,
        }
        return Adapter(ref.agent, self.options.stack_id or self._fingerprint(ref.agent), told)

    def _fingerprint(self, agent: str) -> str:
        prints = self.summary.provenance.get("agents")
        found = prints.get(agent) if isinstance(prints, dict) else None
        return found[:16] if isinstance(found, str) else "unknown"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Unrecordable(f"has no time at which it began: {quote(text, 40)}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _name(score: TrialScore) -> str:
    return f"{score.ref.agent}/{score.ref.case}#{score.ref.trial + 1}"
