"""Load plan: the running workloads that have to be loaded to explain one workload."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsToLoad:
    """Running workloads of some queues: those that would be preempted first."""

    queues: tuple[str, ...]
    #: Only those of a lower priority; None: of any.
    below: int | None = None
    #: Only those that `below` would leave out.
    not_below: int | None = None
    #: The most workloads to load, of all these queues together.
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """What has to be loaded one by one; everything else in the tree is charged as a sum."""

    rows: tuple[RowsToLoad, ...] = ()
    #: Name of a queue -> how many of its workloads are loaded, whatever waits.
    first: dict[str, int] = field(default_factory=dict)
