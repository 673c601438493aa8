"""Outcomes for live workloads under another policy, and exceeded quota, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.amounts import Amount
from console.engine.model.reasons import Reason
from console.engine.model.running_outcomes import Exposure, Loss

#: Maximum number of workloads or queues in one list of a result; all are counted.
LISTED = 500


class LiveOutcome(StrEnum):
    """An outcome for a running or pending workload; a workload may have several."""

    # Pending workloads:
    #: It starts at once.
    STARTS = "starts"
    #: It starts after its victims have stopped.
    STARTS_SOON = "starts_soon"
    #: It is pending in another queue.
    MOVED = "moved"
    REJECTED = "rejected"
    #: It stays pending and can never start.
    NEVER_FITS = "never_fits"
    # Running workloads:
    #: It is preempted or drained.
    STOPPED = "stopped"
    #: It keeps running, above the nominal quota of its queue.
    OVER_NOMINAL = "over_nominal"
    #: It keeps running, on a flavor that it would no longer get.
    LOSES_FLAVOR = "loses_flavor"
    #: It keeps running, and later workloads may preempt it.
    PREEMPTIBLE = "preemptible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """One affected workload."""

    workload: str
    #: Its present queue.
    queue: str | None
    #: Its queue under the other policy; None: none.
    to: str | None = None
    #: The reason of the decision; None without a decision.
    reason: Reason | None = None
    #: What it loses, or why it becomes preemptible.
    losses: tuple[Loss | Exposure, ...] = ()
    #: The preempting workload.
    preemptor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The workloads with the same outcome: their number, and the first of them."""

    count: int
    first: tuple[Affected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverQuota:
    """A queue whose usage of a flavor-resource would exceed nominal quota by more than now."""

    queue: str
    flavor: str
    resource: str
    used: int
    nominal_before: Amount
    nominal_after: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveImpact:
    """The impact on all running and pending workloads."""

    running: int
    pending: int
    #: The number of workloads with an outcome; some have several.
    affected: int = 0
    #: Outcomes without workloads are absent.
    groups: Mapping[LiveOutcome, Group] = field(default_factory=dict)
    over: tuple[OverQuota, ...] = ()
    #: The number of exceeded quotas; *over* has the first of them.
    over_count: int = 0
