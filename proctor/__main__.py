"""``python -m proctor``."""

from proctor.cli import main

main()
