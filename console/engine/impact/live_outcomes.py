"""What would happen to live work, as values: outcomes, who has them, and quota that is exceeded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.amounts import Amount
from console.engine.model.reasons import Reason
from console.engine.model.running_outcomes import Exposure, Loss

#: Workloads, and queues, that one list of an answer names; the rest is counted.
LISTED = 500


class LiveOutcome(StrEnum):
    """What would happen to a workload that runs or waits; one may have several."""

    # pending
    #: It starts at once.
    STARTS = "starts"
    #: It starts when those who were told to stop for it have stopped.
    STARTS_SOON = "starts_soon"
    #: It waits in another queue.
    MOVED = "moved"
    REJECTED = "rejected"
    #: It goes on waiting, and can never start there.
    NEVER_FITS = "never_fits"
    # running
    #: It is told to stop, for somebody or because its queue is drained.
    STOPPED = "stopped"
    #: It runs on, on quota that its queue does not own.
    OVER_NOMINAL = "over_nominal"
    #: It runs on, on a flavor that it would not be given any more.
    LOSES_FLAVOR = "loses_flavor"
    #: It runs on, and somebody who comes later may have it stopped.
    PREEMPTIBLE = "preemptible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """One workload to which something would happen."""

    workload: str
    #: Where it waits or runs now.
    queue: str | None
    #: Where it would wait or run; None: nowhere.
    to: str | None = None
    #: Why, where the engine decided.
    reason: Reason | None = None
    #: What it lost, or by what new rights it may be stopped.
    losses: tuple[Loss | Exposure, ...] = ()
    #: The workload for which it would have to stop.
    preemptor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Those to whom the same would happen: how many, and the first of them."""

    count: int
    first: tuple[Affected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverQuota:
    """A queue that would hold more of a flavor-resource than it owns, by more than now."""

    queue: str
    flavor: str
    resource: str
    used: int
    nominal_before: Amount
    nominal_after: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveImpact:
    """What would happen to everything that runs and waits."""

    running: int
    pending: int
    #: Outcomes that nobody has are absent.
    groups: Mapping[LiveOutcome, Group] = field(default_factory=dict)
    over: tuple[OverQuota, ...] = ()
    #: How many places are over; *over* lists the first of them.
    over_count: int = 0
