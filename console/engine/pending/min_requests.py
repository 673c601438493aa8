"""Minimum requests in a pending queue: if less than these is available, no workload fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class MinRequests:
    """
    The requests of pending classes, and their minimum by resource.

    There is one minimum for each set of requested resources, so that a class with a small
    request of one resource and none of another does not hide the needs of other classes.
    """

    def __init__(self) -> None:
        self._of: dict[str, frozenset[str]] = {}
        self._asked: dict[frozenset[str], dict[str, Mapping[str, int]]] = {}
        #: Missing for a set of resources whose smallest request was removed.
        self._least: dict[frozenset[str], dict[str, int]] = {}

    def add(self, name: str, asked: Mapping[str, int]) -> None:
        """Add the requests of *name*, in thousandths."""
        kind = frozenset(asked)
        self._of[name] = kind
        others = self._asked.setdefault(kind, {})
        least = self._least.get(kind)
        if not others:
            self._least[kind] = dict(asked)
        elif least is not None:
            for resource, amount in asked.items():
                if amount < least[resource]:
                    least[resource] = amount
        others[name] = asked

    def remove(self, name: str) -> None:
        """Remove the requests of *name*."""
        kind = self._of.pop(name)
        others = self._asked[kind]
        asked = others.pop(name)
        least = self._least.get(kind)
        if not others:
            del self._asked[kind]
            self._least.pop(kind, None)
        elif least is not None and any(least[r] == amount for r, amount in asked.items()):
            del self._least[kind]

    def each(self) -> Iterable[Mapping[str, int]]:
        """Return the minimum for every set of requested resources."""
        if len(self._least) != len(self._asked):
            for kind, asked in self._asked.items():
                if kind not in self._least:
                    self._least[kind] = {
                        resource: min(each[resource] for each in asked.values())
                        for resource in kind
                    }
        return self._least.values()
