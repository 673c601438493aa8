"""Index of regions by the values of one label, to find overlapping regions fast."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from heapq import merge

from console.engine.routing.regions import Region


class RegionIndex:
    """
    Numbered regions, indexed by the values of the label *key*.

    Regions that list values of the label are indexed by these; all others may overlap with any
    region.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._regions: dict[int, Region] = {}
        #: The regions without listed values; numbers are added in ascending order.
        self._unlisted: dict[int, None] = {}
        self._by_value: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, number: int, region: Region) -> None:
        """Add *region* with a number higher than all before."""
        self._regions[number] = region
        values = _listed(region, self._key)
        if values is None:
            self._unlisted[number] = None
        for value in values or ():
            self._by_value[value].add(number)

    def remove(self, number: int) -> None:
        """Remove the region with *number*."""
        values = _listed(self._regions.pop(number), self._key)
        if values is None:
            del self._unlisted[number]
        for value in values or ():
            self._by_value[value].remove(number)

    def may_overlap(self, region: Region) -> Iterator[tuple[int, Region]]:
        """Yield all regions that overlap with *region*, and possibly others, sorted by number."""
        values = _listed(region, self._key)
        if values is None:
            yield from self._regions.items()
            return
        alike = set[int]().union(*(self._by_value.get(value, ()) for value in values))
        for number in merge(self._unlisted, sorted(alike)):
            yield number, self._regions[number]


def most_listed_key(regions: Iterable[Region]) -> str:
    """Return the label for which the most *regions* list values, or "" if none do."""
    counts = Counter(
        key for region in regions for key in region.labels if _listed(region, key) is not None
    )
    return max(counts, key=lambda key: (counts[key], key), default="")


def _listed(region: Region, key: str) -> frozenset[str] | None:
    """Return the listed values of the label in *region*, or None without a list."""
    values = region.labels.get(key)
    if values is None or values.is_all_but or values.may_be_absent:
        return None
    return values.listed
