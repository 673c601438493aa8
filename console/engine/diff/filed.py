"""Regions filed by the values of one label, so that few are looked at to find those that meet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from console.engine.regions import Region


class Filed:
    """
    Regions by number.

    Those in which the label *key* has one of a few values are filed by these; the others may
    meet every region.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._regions: dict[int, Region] = {}
        self._open: set[int] = set()
        self._of_value: defaultdict[str, set[int]] = defaultdict(set)

    def put(self, number: int, region: Region) -> None:
        """File *region*, in the place of the one with that number if there is one."""
        self._regions[number] = region
        values = _listed(region, self._key)
        if values is None:
            self._open.add(number)
        for value in values or ():
            self._of_value[value].add(number)

    def take(self, number: int) -> None:
        """Remove the region with that number."""
        values = _listed(self._regions.pop(number), self._key)
        if values is None:
            self._open.remove(number)
        for value in values or ():
            self._of_value[value].remove(number)

    def near(self, region: Region) -> list[tuple[int, Region]]:
        """Return, by number, all regions that meet *region*, and perhaps others."""
        values = _listed(region, self._key)
        if values is None:
            return sorted(self._regions.items(), key=_number)
        numbers = self._open.union(*(self._of_value.get(value, ()) for value in values))
        return [(number, self._regions[number]) for number in sorted(numbers)]


def usual_key(regions: Iterable[Region]) -> str:
    """Return the label that most of *regions* want to have one of a few values; empty if none."""
    counts = Counter(
        key for region in regions for key in region.labels if _listed(region, key) is not None
    )
    return max(counts, key=lambda key: (counts[key], key), default="")


def _listed(region: Region, key: str) -> frozenset[str] | None:
    """Return the values that the label may have in *region*; None when they are not listed."""
    values = region.labels.get(key)
    if values is None or values.is_all_but or values.may_be_absent:
        return None
    return values.listed


def _number(filed: tuple[int, Region]) -> int:
    return filed[0]
