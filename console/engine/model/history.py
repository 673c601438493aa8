"""History and live facts as values: what ran lately, what runs and waits; all judge a config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.amounts import FlavorResource
from console.engine.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Workloads that are alike in all that a config can ask about, and how many there were."""

    #: One for all of them; its id is that of the shape, the same in every window.
    workload: Workload
    runs: int
    #: The last day on which one of them was taken in, as YYYY-MM-DD in UTC.
    last_seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The shapes of a window of days that ends today, those seen last first."""

    window_days: int
    shapes: tuple[Shape, ...] = ()
    #: Whether *shapes* are all of the window. If not, older ones are left out.
    is_complete: bool = True

    @property
    def runs(self) -> int:
        """How many workloads the shapes stand for."""
        return sum(shape.runs for shape in self.shapes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What runs and waits by name of its queue; what is nothing is absent."""

    running: Mapping[str, int] = field(default_factory=dict)
    pending: Mapping[str, int] = field(default_factory=dict)
    #: What running workloads hold, in thousandths.
    usage: Mapping[str, Mapping[FlavorResource, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Pending workloads that a config treats alike, and how many there are."""

    #: One of them.
    workload: Workload
    #: Where they wait now; None: nothing was decided about them yet.
    queue: str | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """All that waits, by kind."""

    kinds: tuple[Waiting, ...] = ()
    #: Whether *kinds* are all there is, and each is exactly so many.
    is_whole: bool = True
