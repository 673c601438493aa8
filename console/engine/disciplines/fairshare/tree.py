"""The queues of a policy as a tree: roots, children and paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Generic, Protocol, TypeVar


class Node(Protocol):
    """The part of a queue that makes a tree."""

    @property
    def parent(self) -> str | None:
        """Name of the parent; None: a root."""


Member = TypeVar("Member", bound=Node)


class QueueTree(Generic[Member]):
    """
    The tree of queues that name their parents.

    Queues below a missing parent, and those that are above themselves, are not members.
    """

    def __init__(self, queues: Mapping[str, Member]) -> None:
        #: All queues, also those that are not members.
        self.queues = queues
        below: defaultdict[str, list[str]] = defaultdict(list)
        roots = []
        for name, queue in queues.items():
            if queue.parent is None:
                roots.append(name)
            else:
                below[queue.parent].append(name)
        #: The members without a parent, in the order of the text.
        self.roots = tuple(roots)
        self._subtrees: dict[str, tuple[str, ...]] = {}
        self._children = {name: tuple(each) for name, each in below.items()}
        members = list(roots)
        for name in members:
            members.extend(below.get(name, ()))
        #: All members, each after its parent.
        self.members = dict.fromkeys(members)

    def children(self, name: str) -> tuple[str, ...]:
        """Return the queues directly below *name*, in the order of the text."""
        return self._children.get(name, ())

    def siblings(self, name: str) -> Iterator[str]:
        """Yield the other queues below the parent of *name*, in the order of the text."""
        parent = self.queues[name].parent
        beside = self.roots if parent is None else self.children(parent)
        return (each for each in beside if each != name)

    def subtree(self, name: str) -> tuple[str, ...]:
        """Return *name* and all queues below it."""
        found = self._subtrees.get(name)
        if found is None:
            below = (leaf for each in self.children(name) for leaf in self.subtree(each))
            found = self._subtrees[name] = (name, *below)
        return found

    def path(self, name: str) -> tuple[str, ...]:
        """
        Return *name* and the queues above it, up to a root, a missing parent or a repeated one.

        Empty if there is no queue of this name.
        """
        found: dict[str, None] = {}
        above: str | None = name
        while above is not None and above in self.queues and above not in found:
            found[above] = None
            above = self.queues[above].parent
        return tuple(found)

    def missing_parent(self, name: str) -> str | None:
        """Return the parent that *name*, or a queue above it, names and that does not exist."""
        path = self.path(name)
        parent = self.queues[path[-1]].parent if path else None
        return parent if parent is not None and parent not in self.queues else None

    def branches(self, one: str, other: str) -> tuple[str, str] | None:
        """
        Return the queues at which the paths from the roots to *one* and *other* part.

        They are siblings, or both are roots. None if one of the two is above the other, or the
        same.
        """
        for mine, theirs in zip(reversed(self.path(one)), reversed(self.path(other)), strict=False):
            if mine != theirs:
                return mine, theirs
        return None
