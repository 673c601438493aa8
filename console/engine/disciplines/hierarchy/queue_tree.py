"""The tree of queues for pages: parent queues are cohorts, the leaves are their queues."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from console.engine.disciplines.hierarchy.spec import HierarchySpec
from console.engine.disciplines.read_model import Member


class QueueTree:
    """The members of every parent queue, in the order of the text."""

    def __init__(self, spec: HierarchySpec) -> None:
        self._spec = spec

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All parent queues."""
        return tuple(name for name, each in self._spec.queues.items() if not each.is_leaf)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The roots of the partitions."""
        return tuple(name for name in self.names if self._spec.queues[name].parent is None)

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, each in self._spec.queues.items():
            if each.parent is not None:
                found.setdefault(each.parent, []).append(name)
        return found

    def queues(self, cohort: str) -> tuple[str, ...]:
        """Return the leaves directly in *cohort*."""
        return tuple(each for each in self._members(cohort) if self._spec.queues[each].is_leaf)

    def cohorts(self, cohort: str) -> tuple[str, ...]:
        """Return the parent queues directly in *cohort*."""
        return tuple(each for each in self._members(cohort) if not self._spec.queues[each].is_leaf)

    def path(self, cohort: str) -> tuple[str, ...]:
        """Return the queues above *cohort*, the root first; empty for a root."""
        return self._spec.path(cohort)[::-1]

    def below(self, cohort: str, depth: int = 1) -> Iterator[Member]:
        """Yield all queues below *cohort*, each parent queue before its members."""
        for name in self.queues(cohort):
            yield Member(name, False, cohort, depth)
        for name in self.cohorts(cohort):
            yield Member(name, True, cohort, depth)
            yield from self.below(name, depth + 1)

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return the leaves at any depth below *cohort*."""
        return tuple(each.name for each in self.below(cohort) if not each.is_cohort)

    def around(self, queue: str) -> tuple[str, ...]:
        """Return the queues of the partition of *queue*; raise KeyError if it is unknown."""
        partition = self._spec.queues[queue].partition
        return tuple(
            name for name, each in self._spec.queues.items() if each.partition == partition
        )

    def _members(self, cohort: str) -> list[str]:
        return self._children.get(cohort, [])
