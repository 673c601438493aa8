"""
Share reports: what every queue of a tree is entitled to, how it came about, and who is served next.

They depend on nodes and on the requests of all queues, so they are computed on request, also with
one number of the config changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.disciplines.read_model import Requests, Used
from console.engine.model.amounts import Amount, Usage
from console.engine.model.inventory import Inventory
from console.engine.model.usage_history import UsageHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningKind:
    """Equal running workloads of one queue, and their number."""

    queue: str
    priority: int
    #: As the workloads state it.
    is_preemptible: bool | None
    #: Of each of them, in thousandths.
    usage: Usage
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFacts:
    """The state of an organization as far as shares depend on it."""

    inventory: Inventory
    used: Used
    #: Requests of all pending workloads by queue, in thousandths, by resource.
    requested: Mapping[str, Requests]
    #: Requests of the first pending workload of each queue that has one.
    first: Mapping[str, Requests]
    running: Sequence[RunningKind] = ()
    #: What queues have used in the past; None: not known.
    history: UsageHistory | None = None
    #: In milliseconds since 1970 in UTC.
    now: int = 0


class ShareNumber(StrEnum):
    """A number of a queue that a report may change."""

    QUOTA = "quota"
    LIMIT = "limit"
    WEIGHT = "weight"
    PRIORITY = "priority"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberChange:
    """Another value of one number of a queue."""

    queue: str
    number: ShareNumber
    #: Empty for the priority.
    resource: str = ""
    #: Thousandths of the resource, of the weight, or 1000 for each step of the priority.
    value: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLine:
    """One resource of one queue; amounts in thousandths, those of workloads below it included."""

    resource: str
    quota: Amount
    limit: Amount
    #: In thousandths.
    weight: int
    #: Of running and pending workloads.
    requested: int
    used: int
    #: The part of the usage that cannot be preempted.
    non_preemptible: int
    #: The sum of the three parts that follow.
    fair_share: int
    #: What the quota guarantees, as far as it is requested.
    guaranteed: int
    #: By priority and weight.
    surplus: int
    #: What rounding left over.
    rounding: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaimable:
    """The most that workloads of a queue may reclaim now from another queue, in thousandths."""

    queue: str
    resource: str
    amount: int

    @property
    def amounts(self) -> Mapping[str, int]:
        """The amount by resource."""
        return {self.resource: self.amount}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueShares:
    """The shares of one queue, and its place among its siblings."""

    name: str
    parent: str | None
    #: 0 for a queue without a parent.
    depth: int
    has_children: bool
    #: Whether the config has it; a discipline may put a queue of its own above others.
    is_declared: bool = True
    priority: int
    lines: tuple[ShareLine, ...]
    #: The largest part of what it may use that is in use, in thousandths.
    dominant_share: int
    dominant_resource: str
    #: From 1, and the number of siblings, itself included.
    place: int
    siblings: int
    #: Why it is behind the sibling before it: the words of the rule; "" for the first.
    behind: str = ""
    #: The sibling before it; "" for the first.
    behind_queue: str = ""
    reclaimable: tuple[Reclaimable, ...] = ()

    @property
    def by_resource(self) -> Mapping[str, ShareLine]:
        """The lines by resource."""
        return {each.resource: each for each in self.lines}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareReport:
    """The shares of all queues, each after its parent."""

    #: What nodes offer, and what no queue could use of it, in thousandths, by resource.
    total: Mapping[str, int]
    remaining: Mapping[str, int]
    queues: tuple[QueueShares, ...] = field(default=())
