"""Routing by one label, whose value is the name of a line."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.workload import Workload

#: The label whose value is the name of a line.
LABEL: Final = "line"


@dataclass(frozen=True, slots=True)
class LineRouting:
    """
    A workload is routed to the line that its label names, or else to the first of *lines*.

    All workloads have priority 0, so that none overtakes an earlier one.
    """

    lines: tuple[str, ...]

    name = "lines"
    label_keys = frozenset({LABEL})
    may_drain = False
    takes_everything = True
    is_without_quota = False
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        """Return None: the label alone decides."""
        return None

    def finder(self, queues: Mapping[str, Destination]) -> LineRouting:
        """Return the routing itself, which reads the label."""
        return self

    def route(self, workload: Workload) -> Route:
        """Return the route to a line."""
        named = workload.labels.get(LABEL)
        return Route(queue=named if named in self.lines else self.lines[0], priority=0)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return the label with the names of all lines."""
        return {LABEL: self.lines}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return every line by its own name."""
        return {name: name for name in self.lines}
