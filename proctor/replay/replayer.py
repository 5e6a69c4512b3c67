"""One trial that is replayed: what stands in for tools and model, and what became of the recording."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.excerpt import quote
from proctor.plan import Turn
from proctor.replay.host import RecordedAnswers, RecordedTools
from proctor.replay_plan import Replay, ReplayMode
from proctor.trajectory import Step, TurnRecord
from proctor.wording import count, listed


class Replayer:
    """Holds the hosts of one trial. ``model`` is None where the agent asks its own."""

    def __init__(self, replay: Replay) -> None:
        self.tools = RecordedTools(replay)
        self.model = RecordedAnswers(replay) if replay.mode is ReplayMode.HARNESS else None
        self._stop: str | None = None

    def begin_turn(self) -> None:
        """Begin the next message of the user."""
        self.tools.begin_turn()
        if self.model is not None:
            self.model.begin_turn()

    def cut_short(self, turn: Turn, why: str, latency_ms: float) -> TurnRecord:
        """Make a record of a turn that could not be ended: the calls that it made until then, and no reply."""
        self._stop = why
        return TurnRecord(turn.user, None, tuple(self.tools.calls), turn.audio, latency_ms, steps=tuple(self._steps()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the trial left its recording, in the order in which it can be told; nothing about a trial in order."""
        return (*self.tools.notes, *self._end())

    def _steps(self) -> Iterator[Step]:
        """The messages of a turn without an end. The text of a real model is not known here."""
        steps = self.tools.steps
        if self.model is not None:
            yield from (Step(text, step.calls) for text, step in zip(self.model.texts, steps, strict=False))
        else:  # the last request may not have been answered
            yield from steps if steps and steps[-1].calls else steps[:-1]

    def _end(self) -> Iterator[str]:
        if self._stop is not None:
            yield self._stop
        if self.model is None or self._stop is not None:
            return
        if self.model.left:
            yield f"fewer model calls than recorded: {count(self.model.left, 'recorded answer')} left over"
        unused = [quote(call.name, 80) for call in self.tools.unused]
        if unused:
            yield f"recorded results that the agent did not ask for: {listed(unused, 5)}"
