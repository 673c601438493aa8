"""Recorded, running and pending workloads as values, on which a config is tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.amounts import FlavorResource
from console.engine.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Recorded workloads that are equal in everything a config can depend on, with their count."""

    #: Represents all of them; its id is the id of the shape, the same in every window.
    workload: Workload
    runs: int
    #: The last day on which one of them was submitted, as YYYY-MM-DD in UTC.
    last_seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The shapes of a window of days that ends today, the latest first."""

    window_days: int
    shapes: tuple[Shape, ...] = ()
    #: Whether *shapes* are all shapes of the window. If not, older ones are left out.
    is_complete: bool = True

    @property
    def runs(self) -> int:
        """The number of workloads that the shapes represent."""
        return sum(shape.runs for shape in self.shapes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """Numbers of running and pending workloads, and usage, by queue; zeros are absent."""

    running: Mapping[str, int] = field(default_factory=dict)
    pending: Mapping[str, int] = field(default_factory=dict)
    #: Usage of the running workloads, in thousandths.
    usage: Mapping[str, Mapping[FlavorResource, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Pending workloads that every config treats alike, and their count."""

    #: One of them.
    workload: Workload
    #: Their present queue; None: they were not evaluated yet.
    queue: str | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """All pending workloads, grouped by kind."""

    kinds: tuple[Waiting, ...] = ()
    #: Whether *kinds* has all pending workloads, with exact counts.
    is_whole: bool = True
