"""The result of one request to a receiver, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """Why a request failed."""

    #: The URL of the webhook is not allowed any more.
    BAD_URL = "bad_url"
    NOT_RESOLVED = "not_resolved"
    NOT_ALLOWED = "not_allowed"
    NOT_REACHED = "not_reached"
    TLS = "tls"
    TIMED_OUT = "timed_out"
    BROKEN = "broken"
    REDIRECTED = "redirected"
    REFUSED = "refused"
    #: Status 410.
    GONE = "gone"
    #: The connection or the worker ended while a mail server had the message.
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result; *failure* is None if the receiver accepted the request."""

    failure: Failure | None
    #: The error message of the system.
    detail: str = ""
    #: The IP address of the connection; "" without one.
    address: str = ""
    status: int | None = None
    #: The value of `Retry-After`; "" without one.
    retry_after: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    #: The beginning of the body.
    body: str = ""
