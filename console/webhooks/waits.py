"""How long is waited: for an answer, between attempts, and until a webhook is given up."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

#: Seconds for one step of a request, for the name to be resolved, and for all of it.
STEP: Final = 5.0
TOTAL: Final = 15.0

#: How long an attempt is believed to be under way without a word: longer than it can take.
BELIEVED: Final = timedelta(seconds=30)

#: What is waited after each failed attempt of a delivery; after the next one it is given up.
RETRIES: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)

#: How long a webhook is left alone after a failure, so that many deliveries to a receiver that
#: is down do not keep a worker waiting; it doubles with each failure in a row up to the longest.
_FIRST_REST: Final = timedelta(seconds=5)
_LONGEST_REST: Final = timedelta(minutes=5)

#: Failing for so long pauses a webhook.
PATIENCE: Final = timedelta(days=3)

#: How long a replaced secret still signs.
OVERLAP: Final = timedelta(hours=24)


def retry_after(attempt: int) -> timedelta | None:
    """Return the wait after failed attempt *attempt*, from 1; None when that was the last."""
    return RETRIES[attempt - 1] if attempt <= len(RETRIES) else None


def rest_after(failures: int) -> timedelta:
    """Return how long a webhook is left alone after *failures* in a row."""
    doubled: int = 2 ** min(failures - 1, 10)
    return min(_FIRST_REST * doubled, _LONGEST_REST)
