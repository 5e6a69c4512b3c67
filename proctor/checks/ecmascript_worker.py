"""The process that compiles and searches ECMAScript patterns which may not end.

``[source, text]`` in, or ``[source]`` to compile it only; ``[found, why not a pattern, why undecided]`` out, in which
only one is not null.
"""

from __future__ import annotations

from typing import Any

from proctor.checks.ecmascript_engine import NoPattern, OutOfBounds, compile_source, search_here
from proctor.checks.worker_process import serve


def _answer(question: Any) -> list[bool | str | None]:
    try:
        if len(question) == 1:
            compile_source(*question)
            return [True, None, None]
        return [search_here(*question), None, None]
    except NoPattern as problem:
        return [None, str(problem), None]
    except OutOfBounds as problem:
        return [None, None, str(problem)]


if __name__ == "__main__":
    serve(_answer)
