"""
Consequences as values: what follows when another policy becomes active.

A change of policy stops no running workload unless it says so. Until enough workloads have ended,
more may run than the new policy intends: an excess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TypeAlias

from console.engine.model.amounts import FlavorResource
from console.engine.model.history import Live

#: What each of some running workloads holds, in thousandths, and the number of them.
Holding: TypeAlias = tuple[Mapping[FlavorResource, int], int]


class Limit(StrEnum):
    """The limit that an excess is beyond."""

    #: What a queue may use, where it neither borrows nor lends.
    QUEUE = "queue"
    #: What a queue owns.
    NOMINAL = "nominal"
    #: What a queue owns and may borrow.
    BORROWING = "borrowing"
    #: What the queues of a cohort may use together.
    COHORT = "cohort"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """One flavor-resource of which more may be used than the new policy gives, in thousandths."""

    #: The queue or cohort that has *quota* under the new policy.
    name: str
    flavor: str
    resource: str
    #: What is used now: by the queue or cohort, or by *drained*.
    used: int
    quota: int
    #: The most that may be used at once.
    peak: int
    #: Queues whose workloads have to end.
    holders: tuple[str, ...]
    limit: Limit = Limit.NOMINAL
    #: Queues that the queue replaces and that drain beside it; empty: it keeps its name.
    drained: tuple[str, ...] = ()
    #: The fewest workloads that have to end until usage is within *quota*; None: not known.
    ends: int | None = None

    @property
    def key(self) -> FlavorResource:
        """The flavor-resource that the quota is for."""
        return self.flavor, self.resource

    @property
    def over(self) -> int:
        """The peak less the quota."""
        return self.peak - self.quota


def with_ends(
    excesses: Iterable[Excess], holdings: Mapping[str, Iterable[Holding]]
) -> tuple[Excess, ...]:
    """
    Return *excesses* with the number of workloads to end; *holdings* are those that run, by queue.

    The count starts with those that hold most, so it is the least possible.
    """
    return tuple(
        replace(
            each,
            ends=_fewest(
                each.over,
                [
                    (held.get(each.key, 0), count)
                    for name in each.holders
                    for held, count in holdings.get(name, ())
                ],
            ),
        )
        for each in excesses
    )


def _fewest(over: int, holds: list[tuple[int, int]]) -> int | None:
    """Return how many of the largest of *holds* sum up to *over*; None: all are too little."""
    found = 0
    for amount, count in sorted(holds, reverse=True):
        if over <= 0 or not amount:
            break
        taken = min(count, -(-over // amount))
        found += taken
        over -= taken * amount
    return found if over <= 0 else None


class Gravity(IntEnum):
    """How deliberately a consequence has to be accepted."""

    #: By the button, whose label says it.
    BUTTON = 1
    #: By name.
    NAMED = 2
    #: By name, and by typing the number of the version.
    TYPED = 3


class ConsequenceCode(StrEnum):
    """Possible consequences of an apply; clients accept a consequence by its code."""

    WORK_EVICTED = "work_evicted"
    QUEUE_REMOVED = "queue_removed"
    CATCH_ALL_LOST = "catch_all_lost"
    QUOTA_DROPPED = "quota_dropped"
    QUEUE_DRAINS = "queue_drains"
    QUEUE_STOPPED = "queue_stopped"
    PENDING_REJECTED = "pending_rejected"
    OVER_NOMINAL = "over_nominal"
    FLAVOR_LOST = "flavor_lost"
    DIALECT_CHANGED = "dialect_changed"
    WARNINGS_ADDED = "warnings_added"
    EXPECTATION_BROKEN = "expectation_broken"
    PREVIEW_UNAVAILABLE = "preview_unavailable"


GRAVITY: Mapping[ConsequenceCode, Gravity] = {
    code: Gravity.TYPED
    if code
    in (
        ConsequenceCode.WORK_EVICTED,
        ConsequenceCode.QUEUE_REMOVED,
        ConsequenceCode.CATCH_ALL_LOST,
        ConsequenceCode.QUOTA_DROPPED,
    )
    else Gravity.NAMED
    for code in ConsequenceCode
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One consequence as facts; `console.engine.explain.consequences` has its sentence."""

    code: ConsequenceCode
    #: What it concerns: queues, codes of warnings, expectations, languages.
    names: tuple[str, ...] = ()
    #: Local queues that it concerns, each prefixed with its namespace.
    local_queues: tuple[str, ...] = ()
    #: Name of a queue -> the queue that replaces it.
    successors: Mapping[str, str] | None = None
    #: Workloads that run and wait in those queues, and in those that the local queues lead to.
    running: int = 0
    pending: int = 0
    #: Where usage may exceed the quota of a queue or cohort.
    excesses: tuple[Excess, ...] = ()
    #: Whether the numbers are exact; if not, they are approximate.
    is_exact: bool = True


def of_queues(
    code: ConsequenceCode,
    names: list[str],
    live: Live,
    successors: Mapping[str, str] | None = None,
) -> Finding:
    """Return the finding that *code* concerns the queues *names* and their workloads."""
    return Finding(
        code=code,
        names=tuple(names),
        successors=successors,
        running=sum(live.running.get(name, 0) for name in names),
        pending=sum(live.pending.get(name, 0) for name in names),
    )
