"""Assignment modes of a flavor, from no fit to fit, and their ranking with the borrowing level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from console.engine.disciplines.quota.spec import Fungibility, FungibilityPolicy, Preference
from console.engine.model.amounts import Amount, FlavorResource


class Mode(IntEnum):
    """How a flavor could be assigned, best last (Kueue's granular modes, spec 6.5)."""

    NO_FIT = 0
    #: By preemption, but there is no candidate.
    NO_CANDIDATES = 1
    #: By preemption, with some victims in the same queue.
    PREEMPT = 2
    #: By preemption in other queues only.
    RECLAIM = 3
    FIT = 4


class NoFit(IntEnum):
    """Why a request does not fit, the most hopeful first (spec 6.8)."""

    WAITING_FOR_QUOTA = 1
    EXCEEDS_MAX = 2
    NO_MATCHING_FLAVOR = 3


@dataclass(slots=True)
class Check:
    """The arithmetic of one resource of one flavor; amounts in thousandths."""

    key: FlavorResource
    requested: int
    #: The amount that earlier pod sets of the workload take.
    assumed: int
    mode: Mode
    #: The amounts that the queue used and had available at the time of the check.
    used: int = 0
    available: Amount = 0
    #: The amount that would be available if nothing ran.
    potential: Amount = 0
    level: int = 0
    no_fit: NoFit | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The flavor assigned to a resource."""

    flavor: str
    mode: Mode
    level: int
    #: Index of the last flavor examined; -1: it was the last of its group.
    tried: int


Rank: TypeAlias = tuple[int, int, int]

WORST: Rank = (0, 0, 0)


def rank(mode: Mode, level: int, preference: Preference) -> Rank:
    """
    Return a sort key by which a better flavor is larger (Kueue's isPreferred, spec 6.5).

    >>> from console.engine.disciplines.quota.spec import Preference
    >>> borrow = rank(Mode.FIT, 1, Preference.BORROWING_OVER_PREEMPTION)
    >>> borrow > rank(Mode.RECLAIM, 0, Preference.BORROWING_OVER_PREEMPTION)
    True
    """
    if mode is Mode.NO_FIT:
        return WORST
    usable = 1 if mode is Mode.NO_CANDIDATES else 2
    if preference is Preference.PREEMPTION_OVER_BORROWING:
        return usable, -level, mode
    return usable, mode, -level


def ends_search(mode: Mode, level: int, fungibility: Fungibility) -> bool:
    """Return whether a flavor of *mode* and *level* ends the walk over the flavors (spec 6.5)."""
    if mode <= Mode.NO_CANDIDATES:
        return False
    if mode is not Mode.FIT and fungibility.when_can_preempt is FungibilityPolicy.TRY_NEXT:
        return False
    return level == 0 or fungibility.when_can_borrow is not FungibilityPolicy.TRY_NEXT


#: Pod set -> resource -> the only flavor that may be examined.
Nominated: TypeAlias = Mapping[str, Mapping[str, str]]
