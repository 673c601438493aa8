"""
Consequences of making another policy active, as values.

A change of policy stops no running workload unless the policy drains a queue. Until enough
workloads have ended, more may be used than the new policy allows: an excess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import TypeAlias

from console.engine.model.amounts import FlavorResource
from console.engine.model.history import Live

#: Usage of each of some equal running workloads, in thousandths, and the number of them.
Holding: TypeAlias = tuple[Mapping[FlavorResource, int], int]


class Limit(StrEnum):
    """The kind of limit that an excess is above."""

    #: The most that a queue may use.
    QUEUE = "queue"
    #: The most that a queue may use, above which running pods stop after a delay.
    STOPPING = "stopping"
    #: What queues below it may take back by preemption.
    GUARANTEE = "guarantee"
    #: The quota of a queue that may use more, which other queues may reclaim.
    QUOTA = "quota"
    #: The nominal quota of a queue.
    NOMINAL = "nominal"
    #: The nominal quota of a queue, and the most it may borrow.
    BORROWING = "borrowing"
    #: The quota that the queues of a cohort share.
    COHORT = "cohort"


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """Usage of one flavor-resource that may exceed the new policy's quota, in thousandths."""

    #: The queue or cohort that has *quota* under the new policy.
    name: str
    flavor: str
    resource: str
    #: The present usage of the queue or cohort, or of *drained*.
    used: int
    quota: int
    #: The most that may be used at once.
    peak: int
    #: Queues whose workloads have to end.
    holders: tuple[str, ...]
    limit: Limit = Limit.NOMINAL
    #: Queues that the queue replaces and that still drain; empty: it replaces none.
    drained: tuple[str, ...] = ()
    #: Whether present usage exceeds the quota because the new policy lowers it; otherwise only
    #: usage of draining queues and of the next one together may exceed it.
    is_lowered: bool = True
    #: The names of the flavor-resource in requests, if queues count it under another name.
    requested: tuple[FlavorResource, ...] = ()
    #: The fewest workloads that have to end before usage is within *quota*; None: not known.
    ends: int | None = None

    @property
    def key(self) -> FlavorResource:
        """The flavor-resource of the quota."""
        return self.flavor, self.resource

    @property
    def over(self) -> int:
        """The difference between the peak and the quota."""
        return self.peak - self.quota


def with_ends(
    excesses: Iterable[Excess], holdings: Mapping[str, Iterable[Holding]]
) -> tuple[Excess, ...]:
    """
    Return *excesses* with `ends` set; *holdings* are the running workloads by queue.

    The workloads that use most are counted first, so the number is the least possible.
    """
    return tuple(
        replace(
            each,
            ends=_fewest(
                each.over,
                [
                    (sum(held.get(key, 0) for key in each.requested or (each.key,)), count)
                    for name in each.holders
                    for held, count in holdings.get(name, ())
                ],
            ),
        )
        for each in excesses
    )


def _fewest(over: int, holds: list[tuple[int, int]]) -> int | None:
    """Return how many of the largest *holds* add up to *over*; None: all together do not."""
    found = 0
    for amount, count in sorted(holds, reverse=True):
        if over <= 0 or not amount:
            break
        taken = min(count, -(-over // amount))
        found += taken
        over -= taken * amount
    return found if over <= 0 else None


class ConfirmationLevel(IntEnum):
    """How explicitly a person has to accept a consequence before an apply."""

    #: By the button, whose label states the consequence.
    BUTTON = 1
    #: By selecting the consequence.
    NAMED = 2
    #: By selecting the consequence, and typing the number of the version.
    TYPED = 3


class ConsequenceCode(StrEnum):
    """Possible consequences of an apply; clients accept a consequence by its code."""

    WORK_EVICTED = "work_evicted"
    QUEUE_REMOVED = "queue_removed"
    CATCH_ALL_LOST = "catch_all_lost"
    QUOTA_DROPPED = "quota_dropped"
    QUEUE_DRAINS = "queue_drains"
    #: A queue with workloads gets queues below it, and takes no further workloads.
    QUEUE_BECOMES_PARENT = "queue_becomes_parent"
    QUEUE_STOPPED = "queue_stopped"
    PENDING_REJECTED = "pending_rejected"
    OVER_NOMINAL = "over_nominal"
    FLAVOR_LOST = "flavor_lost"
    DIALECT_CHANGED = "dialect_changed"
    WARNINGS_ADDED = "warnings_added"
    EXPECTATION_BROKEN = "expectation_broken"
    PREVIEW_UNAVAILABLE = "preview_unavailable"


CONFIRMATION_LEVELS: Mapping[ConsequenceCode, ConfirmationLevel] = {
    code: ConfirmationLevel.TYPED
    if code
    in (
        ConsequenceCode.WORK_EVICTED,
        ConsequenceCode.QUEUE_REMOVED,
        ConsequenceCode.CATCH_ALL_LOST,
        ConsequenceCode.QUOTA_DROPPED,
    )
    else ConfirmationLevel.NAMED
    for code in ConsequenceCode
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One consequence as facts; `console.engine.explain.consequences` writes its sentence."""

    code: ConsequenceCode
    #: The affected objects: queues, codes of warnings, expectations or config languages.
    names: tuple[str, ...] = ()
    #: The affected local queues, each prefixed with its namespace.
    local_queues: tuple[str, ...] = ()
    #: Name of a queue -> the queue that replaces it.
    successors: Mapping[str, str] | None = None
    #: Whether the successors are the same queues, under the next name that the language gives them.
    is_continued: bool = False
    #: Running and pending workloads of the queues, and of the queues of the local queues.
    running: int = 0
    pending: int = 0
    #: Where usage may exceed the quota of a queue or cohort.
    excesses: tuple[Excess, ...] = ()
    #: Whether the numbers are exact; if not, they are approximate.
    is_exact: bool = True

    @property
    def level(self) -> ConfirmationLevel:
        """How it has to be accepted: a queue that continues with enough quota loses nothing."""
        if self.is_continued and not any(each.is_lowered for each in self.excesses):
            return ConfirmationLevel.BUTTON
        return CONFIRMATION_LEVELS[self.code]


def queue_finding(
    code: ConsequenceCode,
    names: list[str],
    live: Live,
    successors: Mapping[str, str] | None = None,
) -> Finding:
    """Return a finding with *code* about the queues *names* and their workloads."""
    return Finding(
        code=code,
        names=tuple(names),
        successors=successors,
        running=sum(live.running.get(name, 0) for name in names),
        pending=sum(live.pending.get(name, 0) for name in names),
    )
