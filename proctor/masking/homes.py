"""Home folders: the part of an absolute path that names a person."""

from __future__ import annotations

import re
from typing import Final

HOME_MARKS: Final = ("/home/", "users", "/root")
"""One of these, in lower case, is in every text with a home folder."""

_NAME: Final = r"\w++(?:[.+@-]++\w++)*+"
# A path begins at something that cannot be inside of a path; ``\n`` may be spelled out before it.
_BEGIN: Final = r"(?:(?<![\w.~/%})-])|(?<=file://)|(?<=\\[nrt])|(?<=\s-[IL]))"
_SHARED: Final = r"(?!(?:Shared|Public|Default|linuxbrew)(?!\w))"

HOME_PATH: Final = re.compile(
    rf"{_BEGIN}(?:/mnt)?+(?:/[A-Za-z](?=/Users/))?+/(?:home|Users)/{_SHARED}{_NAME}"
    rf"|{_BEGIN}/root(?![\w-]|\.\w)"
    r"|(?:(?<!\w)|(?<=\\[nrt]))[A-Za-z]:(?:\\++|/)[Uu]sers(?:\\++|/)"
    rf"{_SHARED}(?:\w++(?:[ .+@-]\w++){{0,3}}+(?=\\)|{_NAME})"  # a name with blanks ends at the next folder
)
"""``/home/NAME``, ``/Users/NAME`` (also under WSL and Git Bash), ``/root`` and ``C:\\Users\\NAME``."""
