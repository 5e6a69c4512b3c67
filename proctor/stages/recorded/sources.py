"""Recorded files in execute-runs: nothing is played, the answers are there."""

from __future__ import annotations

from proctor.errors import SourceChanged
from proctor.formats.assevra.lines import file_digest
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import WholeSource
from proctor.stages.run import Run


def verify_source(run: Run, chunk: WholeSource) -> None:
    """Make sure that a file is what it was at validation.

    Raises:
        SourceChanged: it is not.
    """
    source = chunk.source
    if file_digest(source.path) != source.digest:
        raise SourceChanged(
            f"{source.name} changed while the run was under way", hint="start the run again; what is done is kept"
        )
    run.progress.advance(Stage.EXECUTE, len(chunk))
