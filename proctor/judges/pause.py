"""One pause for all who call the same provider, and the back-off of a single caller."""

from __future__ import annotations

import asyncio
from secrets import SystemRandom

LONGEST_WAIT_S = 60.0
"""Neither a provider's Retry-After nor the back-off makes a judge wait longer than this before its next attempt."""

_random = SystemRandom()


class Pause:
    """The time before which nobody calls a provider that asked for a pause. It belongs to one event loop."""

    def __init__(self) -> None:
        self._until = 0.0

    def extend(self, seconds: float) -> None:
        """Ask everybody to wait so long from now; an earlier, longer pause stays."""
        now = asyncio.get_running_loop().time()
        self._until = max(self._until, now + min(seconds, LONGEST_WAIT_S))

    @property
    def remaining_s(self) -> float:
        """Seconds that are left of the pause, 0 when there is none."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    async def wait(self) -> None:
        """Wait until the pause is over. Callers come back spread over a tenth of it, not all at once."""
        while (left := self.remaining_s) > 0:  # noqa: ASYNC110 - only time ends a pause, and others may extend it
            await asyncio.sleep(left * _random.uniform(1.0, 1.1))


def backoff_delay_s(failures: int, backoff_s: float) -> float:
    """Seconds to wait after so many failures (from 1): doubling, give or take a quarter, never past the limit."""
    doubled = backoff_s * 2.0 ** min(failures - 1, 30)
    return min(doubled * _random.uniform(0.75, 1.25), LONGEST_WAIT_S)
