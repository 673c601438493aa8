"""The order of turns: which queue is served next, and which of its workloads."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from console.engine.disciplines.fairshare.queue_order import Contender, sort_key
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, fits, plus
from console.engine.disciplines.fairshare.spec import FairshareSpec, QueueRule
from console.engine.disciplines.fairshare.standing import Standing

Item = TypeVar("Item")

#: The queues from the top of the tree to one that has workloads.
Path: TypeAlias = tuple[str, ...]

_TOP: Path = ()


def turn_path(spec: FairshareSpec, queue: str) -> Path:
    """
    Return the queues whose order decides when *queue* gets its turn, from the top down.

    Until version 0.13, KAI compared exactly two levels: the parents of the queues with workloads,
    whatever is above them, and those queues.
    """
    path = spec.tree.path(queue)
    if spec.settings.queue_rule is QueueRule.HAS_PARENT:
        path = path[:2]
    return tuple(reversed(path))


class TurnOrder(Generic[Item]):
    """
    The items of all queues in the order of their turns, while queues are charged in between.

    At each level of the tree the first of those siblings is taken that have an item below them. A
    queue with children competes with the item that is first among these. With *is_reversed* the
    last one is taken at each level, which is the order of victims: then siblings are compared
    without a request, and after what their items so far release.
    """

    def __init__(
        self,
        items: Mapping[str, Iterable[Item]],
        *,
        paths: Mapping[str, Path],
        standings: Mapping[str, Standing],
        total: Amounts,
        place_of: Callable[[Item], tuple[Any, ...]],
        request_of: Callable[[Item], Amounts],
        is_reversed: bool = False,
    ) -> None:
        """
        Order *items* by queue.

        *paths* are the results of `turn_path`; items of other queues are left out. *standings* are
        the present ones, which the order reads again for queues that `pop` or `changed` have
        touched. *total* is the capacity of the cluster. *place_of* has the sort key of an item in
        its queue when it joins, and *request_of* what it requests, or else uses.
        """
        self._standings, self._total, self._paths = standings, total, paths
        self._place_of, self._request_of = place_of, request_of
        self._is_reversed = is_reversed
        #: The place of the next item among the sorted ones of its queue.
        self._next = -1 if is_reversed else 0
        #: By queue, sorted.
        self._items = {
            queue: found
            for queue, some in items.items()
            if queue in paths and (found := sorted(some, key=place_of))
        }
        #: What items that were popped release, by queue.
        self._released: dict[str, Amounts] = {}
        #: By path, the names of the children that have items, older queues first.
        self._children: dict[Path, dict[str, None]] = {}
        #: By path, the queue with the next item below it and the value by which it is compared.
        self._known: dict[Path, tuple[str, Any, Contender]] = {}
        for queue in self._items:
            self._link(queue)
        for path in self._children:
            self._sort(path)

    def pop(self) -> Item | None:
        """Remove and return the next item; None if there is none."""
        queue = self.next_queue()
        if queue is None:
            return None
        items = self._items[queue]
        item = items.pop(self._next)
        if self._is_reversed:
            released = self._released.get(queue, NOTHING)
            self._released[queue] = plus(released, self._request_of(item))
        if not items:
            self._unlink(queue)
        self.changed(queue)
        return item

    def push(self, queue: str, item: Item) -> None:
        """Add an item to its queue."""
        if queue in self._items:
            insort(self._items[queue], item, key=self._place_of)
        else:
            self._items[queue] = [item]
            for path in self._link(queue):
                self._sort(path)
        self.changed(queue)

    def changed(self, queue: str) -> None:
        """Note that *queue* and those above it were charged, or that its items changed."""
        path = self._paths[queue]
        for depth in range(len(path)):
            self._known.pop(path[: depth + 1], None)

    def items_of(self, queue: str) -> list[Item]:
        """Return the remaining items of a queue, sorted."""
        return self._items.get(queue, [])

    def next_queue(self) -> str | None:
        """Return the queue with the next item."""
        return self._best(_TOP)

    def _best(self, path: Path) -> str | None:
        """Return the queue with the next item below *path*, comparing siblings from the leaves."""
        # The rule about what queues may use is a partial order, so that the result could depend
        # on the order of the comparisons: they start with the oldest queue.
        found: tuple[str, Any, Contender] | None = None
        for name in self._children.get(path, ()):
            other = self._contender(path, name)
            if found is None or self._goes_first(other, found):
                found = other
        return found[0] if found is not None else None

    def _contender(self, path: Path, name: str) -> tuple[str, Any, Contender]:
        below = (*path, name)
        known = self._known.get(below)
        if known is None:
            leaf = name if below == self._paths.get(name) else self._best(below)
            assert leaf is not None, "queues without items are unlinked"
            contender = self._compared(name, leaf)
            known = self._known[below] = leaf, sort_key(contender, self._total), contender
        return known

    def _compared(self, name: str, leaf: str) -> Contender:
        amounts = self._request_of(self._items[leaf][self._next])
        if self._is_reversed:
            released = plus(self._released.get(leaf, NOTHING), amounts)
            return Contender(standing=self._standings[name], released=released)
        return Contender(standing=self._standings[name], request=amounts)

    def _goes_first(
        self, other: tuple[str, Any, Contender], found: tuple[str, Any, Contender]
    ) -> bool:
        """Return whether *other* goes before *found*, which is older."""
        if other[1] != found[1]:
            return bool((other[1] < found[1]) != self._is_reversed)
        mine, theirs = other[2].standing.allocatable, found[2].standing.allocatable
        if mine != theirs:
            if fits(mine, theirs):
                return not self._is_reversed
            if fits(theirs, mine):
                return self._is_reversed
        return self._is_reversed

    def _link(self, queue: str) -> list[Path]:
        """Add a queue below the ones above it; return the paths with another child."""
        path, changed = self._paths[queue], []
        for depth, name in enumerate(path):
            siblings = self._children.setdefault(path[:depth], {})
            if name not in siblings:
                siblings[name] = None
                changed.append(path[:depth])
        return changed

    def _sort(self, path: Path) -> None:
        self._children[path] = dict.fromkeys(sorted(self._children[path], key=self._age))

    def _unlink(self, queue: str) -> None:
        del self._items[queue]
        path = self._paths[queue]
        for depth in reversed(range(len(path))):
            above, name = path[:depth], path[depth]
            if not self._children.get(path[: depth + 1]):
                self._children[above].pop(name, None)
                self._children.pop(path[: depth + 1], None)

    def _age(self, name: str) -> tuple[int, str]:
        return self._standings[name].created, name
