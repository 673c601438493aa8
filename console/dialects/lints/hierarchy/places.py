"""The place of a queue in the text: its name, without those of the queues above."""

from __future__ import annotations

from console.dialects.findings import Place
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.hierarchy.spec import HierarchyQueue


def place_of(queue: HierarchyQueue, places: PlaceFinder) -> Place:
    """Return the place of the name of a queue."""
    return places.name(queue.origin, queue.spelling.rpartition(".")[2])
