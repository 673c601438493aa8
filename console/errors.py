"""
Exceptions of services for requests that cannot be met, with data for the API and the pages.

    ConsoleError
    ├── NotFound         the object does not exist in this organization
    │   └── Renamed          the object has a new name
    ├── NotAllowed       the actor's role lacks the permission
    ├── Conflict         the request does not fit the current state
    │   └── StaleVersion     another config version was applied in between
    ├── BadRequest       fields are invalid
    ├── ConfigRejected   the config text has errors
    ├── ConsequencesNotAccepted  an apply has consequences that were not accepted
    └── RetryLater       the same request may succeed some seconds later

Exceptions about configs are in `console.configs.errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One invalid field: its path, the code of the rule, and what to do."""

    path: str
    code: str
    message: str


class ConsoleError(Exception):
    """A request that cannot be met; *message* is one sentence for the client."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = "The request cannot be met"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NotFound(ConsoleError):
    """The object does not exist in this organization."""

    status = 404
    title = "Not found"

    def __init__(self, message: str) -> None:
        super().__init__("not_found", message)


class Renamed(NotFound):
    """The object with the name *old* has the name *new* since config version *version*."""

    def __init__(self, noun: str, old: str, new: str, version: int) -> None:
        super().__init__(f"The {noun} {old!r} is called {new!r} since version {version}.")
        #: The kind of object, as in URL parameters: queue or cohort.
        self.noun = noun
        self.old = old
        self.new = new
        self.version = version


class NotAllowed(ConsoleError):
    """The actor's role does not include the permission."""

    status = 403
    title = "Not allowed"

    def __init__(self, message: str) -> None:
        super().__init__("not_allowed", message)


class Conflict(ConsoleError):
    """The request does not fit the current state."""

    status = 409
    title = "Conflict"


class BadRequest(ConsoleError):
    """Fields of the request are invalid; *errors* lists all of them."""

    title = "The request has errors"

    def __init__(self, errors: Sequence[FieldError], message: str = "") -> None:
        super().__init__("invalid_request", message or _count(len(errors)))
        self.errors = tuple(errors)


class RetryLater(ConsoleError):
    """The same request may succeed *seconds* later; responses send them in `Retry-After`."""

    def __init__(self, code: str, message: str, seconds: int) -> None:
        super().__init__(code, message)
        self.seconds = seconds


def _count(errors: int) -> str:
    return "One field is wrong." if errors == 1 else f"{errors} fields are wrong."
