"""The process that searches patterns which may not end: ``[pattern, text]`` in, whether it was found out."""

from __future__ import annotations

import re
from typing import Any

from proctor.checks.worker_process import NoAnswer, TooSlow, WorkerProcess, serve
from proctor.excerpt import quote


class PatternProblem(Exception):
    """A search gave no answer: it took too long, or ran out of memory. The sentence is fit for a report."""


class PatternWorker(WorkerProcess):
    """One process that searches, and the right to kill it."""

    def __init__(self) -> None:
        super().__init__("proctor.checks.pattern_worker")

    def search(self, pattern: str, text: str) -> bool:
        """Search in the process.

        Raises:
            PatternProblem: it gave no answer.
        """
        try:
            return bool(self.ask([pattern, text]))
        except TooSlow as problem:
            raise PatternProblem(
                f"the pattern {quote(pattern, 80)} {problem} on a text of {len(text):,} characters; "
                "write it without repeats inside repeats"
            ) from None
        except NoAnswer as problem:
            raise PatternProblem(f"the pattern {quote(pattern, 80)} {problem}") from None


def _search(question: Any) -> bool:
    pattern, text = question
    return re.search(pattern, text, re.IGNORECASE) is not None


if __name__ == "__main__":
    serve(_search)
