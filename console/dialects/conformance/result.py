"""The result of a case: its verdict, and sentences about the differences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a case."""

    AGREES = "agrees"
    DIFFERS = "differs"
    #: The case depends on a feature that this product does not have by design.
    SKIPPED = "skipped"
    #: There is no runner for its type in this version.
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one case; a case that agrees has no sentences."""

    id: str
    verdict: Verdict
    sentences: tuple[str, ...] = ()


def judged(name: str, differences: tuple[str, ...]) -> Result:
    """Return the result of a case with these *differences*."""
    return Result(name, Verdict.DIFFERS if differences else Verdict.AGREES, differences)
