"""How long is waited: for an answer, between attempts, and until a webhook is given up."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
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

#: A receiver may ask for more, by Retry-After with one of these statuses, up to the longest.
ASKING: Final = frozenset({429, 503})
LONGEST_ASKED: Final = timedelta(hours=1)

#: By how much of itself a wait may grow by chance, so that receivers that were down together,
#: or one of many webhooks, are not asked all at the same moment.
SPREAD: Final = 0.2

_CHANCE: Final = random.SystemRandom()

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


def spread(wait: timedelta) -> timedelta:
    """Return *wait*, or by chance a little more."""
    return wait * _CHANCE.uniform(1, 1 + SPREAD)


def asked_wait(status: int | None, retry_after: str, now: datetime) -> timedelta:
    """
    Return for how long an answer asks to be left alone: zero when it does not, or not readably.

    *retry_after* is the header of that name: seconds, or a date.

    >>> now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> str(asked_wait(429, "90", now)), str(asked_wait(503, "Sat, 31 Jan 2026 12:05:00 GMT", now))
    ('0:01:30', '0:05:00')
    >>> str(asked_wait(429, "999999999999", now)), str(asked_wait(500, "90", now))
    ('1:00:00', '0:00:00')
    """
    if status not in ASKING:
        return timedelta()
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        # Compared first: what a timedelta cannot hold is more than the longest, too.
        most = int(LONGEST_ASKED.total_seconds())
        return timedelta(seconds=min(int(text[:12]), most))
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return timedelta()
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return min(max(until - now, timedelta()), LONGEST_ASKED)
