"""``python -m tests.conformance DIR…``: run all vectors in or below the folders; 1 if one differs or none passed."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.runner import read_vectors, run_on_all_cores, vector_files


def main(arguments: list[str]) -> int:
    """Run, print, and give the exit code."""
    if not arguments:
        print("usage: python -m tests.conformance DIR...", file=sys.stderr)
        return 2
    missing = [name for name in arguments if not Path(name).exists()]
    if missing:
        print(f"no such folder: {', '.join(missing)}", file=sys.stderr)
        return 2
    tally = run_on_all_cores(read_vectors(vector_files(map(Path, arguments))))
    for line in tally.lines:
        print(line)
    print(tally)
    return tally.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
