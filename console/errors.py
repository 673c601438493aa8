"""
What services raise when a request cannot be met, as data for the API and the pages.

    ConsoleError
    ├── NotFound         there is no such thing in this organization
    │   └── Renamed          not under this name any more
    ├── NotAllowed       the actor's role does not include it
    ├── Conflict         it does not fit the present state
    │   └── StaleVersion     another config was applied in between
    ├── BadRequest       fields that cannot be read
    ├── ConfigRejected   the config text has errors
    ├── ConsequencesNotAccepted  an apply has consequences that were not accepted
    └── RetryLater       the same request may be met some seconds later

Those about configs are in `console.configs.errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that cannot be read: where, which rule, and what to do."""

    path: str
    code: str
    message: str


class ConsoleError(Exception):
    """A request that cannot be met; *message* is one sentence for the person who asked."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "The request cannot be met"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NotFound(ConsoleError):
    """There is no such thing in this organization."""

    status = 404
    title = "Not found"

    def __init__(self, message: str) -> None:
        super().__init__("not_found", message)


class Renamed(NotFound):
    """What was called *old* is called *new* since version *version* of the config."""

    def __init__(self, noun: str, old: str, new: str, version: int) -> None:
        super().__init__(f"The {noun} {old!r} is called {new!r} since version {version}.")
        #: Which kind of thing, as the parts of addresses are called: queue or cohort.
        self.noun = noun
        self.old = old
        self.new = new
        self.version = version


class NotAllowed(ConsoleError):
    """The actor's role does not include it."""

    status = 403
    title = "Not allowed"

    def __init__(self, message: str) -> None:
        super().__init__("not_allowed", message)


class Conflict(ConsoleError):
    """The request does not fit the present state."""

    status = 409
    title = "Conflict"


class BadRequest(ConsoleError):
    """Fields of the request cannot be read; all of them are listed."""

    title = "The request has errors"

    def __init__(self, errors: Sequence[FieldError], message: str = "") -> None:
        super().__init__("invalid_request", message or _count(len(errors)))
        self.errors = tuple(errors)


class RetryLater(ConsoleError):
    """The same request may be met *seconds* later; answers say so in `Retry-After`."""

    def __init__(self, code: str, message: str, seconds: int) -> None:
        super().__init__(code, message)
        self.seconds = seconds


def _count(errors: int) -> str:
    return "One field is wrong." if errors == 1 else f"{errors} fields are wrong."
