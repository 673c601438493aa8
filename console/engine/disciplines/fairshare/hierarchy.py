"""The tree of queues for pages: queues with children are cohorts, the others are their queues."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.disciplines.read_model import Member


class QueueHierarchy:
    """The members of every queue with children, in the order of the text."""

    def __init__(self, spec: FairshareSpec) -> None:
        self._spec = spec
        tree = spec.tree
        #: The queues with children.
        self.names = tuple(
            name for name in spec.queues if tree.children(name) and name in tree.members
        )
        #: Those of them without a parent.
        self.roots = tuple(name for name in self.names if spec.queues[name].parent is None)

    def queues(self, cohort: str) -> tuple[str, ...]:
        """Return the children of *cohort* that have none themselves."""
        tree = self._spec.tree
        return tuple(each for each in tree.children(cohort) if not tree.children(each))

    def cohorts(self, cohort: str) -> tuple[str, ...]:
        """Return the children of *cohort* that have children."""
        tree = self._spec.tree
        return tuple(each for each in tree.children(cohort) if tree.children(each))

    def path(self, cohort: str) -> tuple[str, ...]:
        """Return the queues above *cohort*, the highest first; empty for a root."""
        return self._spec.path(cohort)[::-1]

    def below(self, cohort: str, depth: int = 1) -> Iterator[Member]:
        """Yield all queues below *cohort*, each one with children before its members."""
        for name in self.queues(cohort):
            yield Member(name, False, cohort, depth)
        for name in self.cohorts(cohort):
            yield Member(name, True, cohort, depth)
            yield from self.below(name, depth + 1)

    def queues_below(self, cohort: str) -> tuple[str, ...]:
        """Return the queues without children at any depth below *cohort*."""
        return tuple(each.name for each in self.below(cohort) if not each.is_cohort)

    def around(self, queue: str) -> tuple[str, ...]:
        """Return all queues, because each affects the others; raise KeyError if unknown."""
        self._spec.queues[queue]
        return tuple(self._spec.queues)
