"""The result of a case: how it ended, and the sentences that say why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a case ended."""

    AGREES = "agrees"
    DIFFERS = "differs"
    #: It depends on something that this product does not have by design.
    SKIPPED = "skipped"
    #: No runner for its type in this version.
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True, slots=True)
class Result:
    """One case and how it ended; a case that agrees needs no sentence."""

    id: str
    verdict: Verdict
    sentences: tuple[str, ...] = ()


def judged(name: str, differences: tuple[str, ...]) -> Result:
    """Return the result of a case that was compared."""
    return Result(name, Verdict.DIFFERS if differences else Verdict.AGREES, differences)
