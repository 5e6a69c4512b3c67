"""What stands in for tools and model while a recording is replayed. Nothing here waits, and no tool is run."""

from __future__ import annotations

from typing import Final

from proctor.errors import TrialStopped
from proctor.excerpt import quote
from proctor.replay.results import RecordedResults
from proctor.replay_plan import AnswerText, ModelAnswer, Replay, ReplayMode
from proctor.trajectory import JsonValue, Step, ToolCall
from proctor.wording import count

MOST_NOTES: Final = 20
"""More notes than these say nothing new."""


class RecordedTools:
    """Answers tool calls from recorded results (see `RecordedResults.take`), and stops an agent that runs away.

    The ids of calls count in harness mode only: there the recording has made them. ``calls`` and ``steps`` are those of
    the present turn; ``notes`` say what the recording could not answer.
    """

    def __init__(self, replay: Replay) -> None:
        self.unused = RecordedResults(replay.calls)
        self.notes: list[str] = []
        self.calls: list[ToolCall] = []
        self.steps: list[Step] = []
        self._knows_ids = replay.mode is ReplayMode.HARNESS
        self._most_requests = replay.most_requests
        self._recorded_requests = len(replay.answers)
        self._requests = 0

    def begin_turn(self) -> None:
        """Forget the calls of the turn before."""
        self.calls, self.steps = [], []

    def before_model_request(self) -> None:
        """Count a request to the model.

        Raises TrialStopped when there were as many as a replay may have.
        """
        if self._requests == self._most_requests:
            recorded = count(self._recorded_requests, "request")
            raise TrialStopped(
                f"stopped before model request {self._requests + 1:,}, as the recording has {recorded}",
                hint="look for an endless loop in the agent",
            )
        self._requests += 1
        self.steps.append(Step())

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
        """Answer a call. One that nothing is recorded for gets an error as its result."""
        found = self.unused.take(name, arguments, call_id if self._knows_ids else None)
        if found is None:
            self._note(f"no recorded result for a call of {quote(name, 80)}")
            result: JsonValue = f"no recorded result for {name}"
            is_error = True
        else:
            result, is_error = found.result, found.is_error
        self.calls.append(ToolCall(name, arguments, call_id, result, is_error))
        last = self.steps.pop() if self.steps else Step()
        self.steps.append(Step(calls=last.calls + 1))
        return result, is_error

    def _note(self, note: str) -> None:
        if note not in self.notes and len(self.notes) < MOST_NOTES:
            self.notes.append(note)


class RecordedAnswers:
    """Answers the k-th request to the model with the k-th recorded answer. ``texts`` are those of the present turn."""

    def __init__(self, replay: Replay) -> None:
        self.texts: list[str | None] = []
        self._answers = replay.answers
        self._given = 0

    def begin_turn(self) -> None:
        """Forget the answers of the turn before."""
        self.texts = []

    def answer(self) -> ModelAnswer:
        """The next answer.

        Raises TrialStopped when there is none left.
        """
        if not self.left:
            raise TrialStopped(f"more model calls than recorded ({len(self._answers):,})")
        answer = self._answers[self._given]
        self._given += 1
        texts = [part.text for part in answer if isinstance(part, AnswerText)]
        self.texts.append("\n".join(texts) if texts else None)
        return answer

    @property
    def left(self) -> int:
        """The number of answers that nobody has asked for."""
        return len(self._answers) - self._given
