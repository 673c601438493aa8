"""Timeouts of requests, waits between attempts, and the time until a webhook is paused."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

#: Timeouts in seconds: for one step of a request, for resolving the host, and for the whole
#: request.
STEP: Final = 5.0
TOTAL: Final = 15.0

#: Time after which an attempt without a result expires: longer than an attempt can take.
ATTEMPT_EXPIRY: Final = timedelta(seconds=30)

#: Waits after each failed attempt of a delivery; after the last attempt it has failed.
RETRIES: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)

#: Back-off of a webhook after a failure, so that many deliveries to a receiver that is down do not
#: block a worker. It doubles with each consecutive failure up to the maximum.
_FIRST_REST: Final = timedelta(seconds=5)
_LONGEST_REST: Final = timedelta(minutes=5)

#: A receiver can request a longer wait, by Retry-After with one of these statuses, up to the
#: maximum.
ASKING: Final = frozenset({429, 503})
LONGEST_ASKED: Final = timedelta(hours=1)

#: Maximum random increase of a wait, as a fraction, so that webhooks that failed together are not
#: retried at the same moment.
JITTER: Final = 0.2

_CHANCE: Final = random.SystemRandom()

#: Minimum time between two e-mails to one member; further messages are added to one that waits.
MAIL_INTERVAL: Final = timedelta(minutes=1)

#: Time of continuous failure after which a webhook is paused.
PATIENCE: Final = timedelta(days=3)

#: How long a replaced secret is still used for signatures.
OVERLAP: Final = timedelta(hours=24)


def retry_after(attempt: int) -> timedelta | None:
    """Return the wait after failed attempt *attempt*, from 1; None after the last one."""
    return RETRIES[attempt - 1] if attempt <= len(RETRIES) else None


def backoff_after(failures: int) -> timedelta:
    """Return the back-off of a webhook after *failures* consecutive failures."""
    doubled: int = 2 ** min(failures - 1, 10)
    return min(_FIRST_REST * doubled, _LONGEST_REST)


def with_jitter(wait: timedelta) -> timedelta:
    """Return *wait* with a random increase."""
    return wait * _CHANCE.uniform(1, 1 + JITTER)


def requested_wait(status: int | None, retry_after: str, now: datetime) -> timedelta:
    """
    Return the wait that a response requests; zero without a valid Retry-After.

    *retry_after* is the header of that name: seconds, or a date.

    >>> now = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> str(requested_wait(429, "90", now))
    '0:01:30'
    >>> str(requested_wait(503, "Sat, 31 Jan 2026 12:05:00 GMT", now))
    '0:05:00'
    >>> str(requested_wait(429, "999999999999", now)), str(requested_wait(500, "90", now))
    ('1:00:00', '0:00:00')
    """
    if status not in ASKING:
        return timedelta()
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        # Compared first, because a timedelta cannot hold every number.
        most = int(LONGEST_ASKED.total_seconds())
        return timedelta(seconds=min(int(text[:12]), most))
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return timedelta()
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return min(max(until - now, timedelta()), LONGEST_ASKED)
