"""Load plan: the running workloads that have to be loaded to explain one workload."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsToLoad:
    """A query for running workloads of some queues, those that would be preempted first."""

    queues: tuple[str, ...]
    #: Only workloads with a priority below this; None: with any.
    below: int | None = None
    #: Only workloads with this priority or a higher one; None: with any.
    not_below: int | None = None
    #: The most workloads to load, of all the queues together.
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """The workloads to load one by one; the usage of all others of the tree is loaded as a sum."""

    rows: tuple[RowsToLoad, ...] = ()
    #: Name of a queue -> number of its workloads to load, whatever is pending.
    first: dict[str, int] = field(default_factory=dict)
