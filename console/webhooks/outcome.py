"""What came of one request to a receiver, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """Why a request did not do."""

    #: The address of the webhook may not be used any more.
    BAD_URL = "bad_url"
    NOT_RESOLVED = "not_resolved"
    NOT_ALLOWED = "not_allowed"
    NOT_REACHED = "not_reached"
    TLS = "tls"
    TIMED_OUT = "timed_out"
    BROKEN = "broken"
    REDIRECTED = "redirected"
    REFUSED = "refused"
    #: 410: the receiver wants nothing any more.
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; *failure* None means that the receiver accepted it."""

    failure: Failure | None
    #: What the machine said of the failure.
    detail: str = ""
    #: The address that was connected to; "" when none was.
    address: str = ""
    status: int | None = None
    #: The header that asks for patience; "" without one.
    retry_after: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    #: The beginning of the body.
    body: str = ""
