"""
Assignments in database rows: one object per pod set, in the order of the workload.

The flavors are stored a second time as one text, which is indexed to find workloads by flavor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import Any

from console.engine.model.decision import (
    Assignment,
    Place,
    PodSetAssignment,
    Resize,
    merged_flavors,
)

#: Maximum number of characters of the text of flavors, all ASCII, so that an index entry fits.
LONGEST_FLAVORS = 2000


def encode_assignment(assignment: Assignment) -> list[dict[str, Any]]:
    """
    Return *assignment* in its stored form.

    >>> encode_assignment((PodSetAssignment(name="main", count=1, flavors={"gpu": "spot"}),))
    [{'name': 'main', 'count': 1, 'flavors': {'gpu': 'spot'}}]

    Places are included only if the discipline assigned some, and so are pods that have to stop.

    >>> here = Place(count=2, node="n1")
    >>> encode_assignment((PodSetAssignment(name="main", count=2, flavors={}, places=(here,)),))
    [{'name': 'main', 'count': 2, 'flavors': {}, 'places': [{'count': 2, 'node': 'n1'}]}]
    """
    return [
        {
            "name": each.name,
            "count": each.count,
            "flavors": dict(each.flavors),
            **({"places": _encode_places(each.places)} if each.places else {}),
            **({"stopping": _encode_places(each.stopping)} if each.stopping else {}),
        }
        for each in assignment
    ]


def encode_resize(resize: Resize | None) -> dict[str, list[dict[str, Any]]] | None:
    """
    Return *resize* in its stored form.

    >>> from console.engine.model.decision import PlacedPods
    >>> here = PlacedPods(pod_set="main", place=Place(count=2, cluster="east"))
    >>> encode_resize(Resize(granted=(here,)))
    {'granted': [{'pod_set': 'main', 'count': 2, 'cluster': 'east'}], 'taken': []}
    """
    if resize is None:
        return None
    return {
        name: [{"pod_set": each.pod_set, **_encode_place(each.place)} for each in pods]
        for name, pods in (("granted", resize.granted), ("taken", resize.taken))
    }


def _encode_places(places: Iterable[Place]) -> list[dict[str, Any]]:
    return [_encode_place(place) for place in places]


def _encode_place(place: Place) -> dict[str, Any]:
    return {name: value for name, value in asdict(place).items() if value not in (None, ())}


def _decode_place(stored: Mapping[str, Any]) -> Place:
    return Place(**{**stored, "devices": tuple(stored.get("devices", ()))})


def flavors_text(assignment: Assignment) -> str | None:
    """
    Return the flavors of *assignment* as the indexed text; None without flavors.

    Places count with their flavor or cluster, also those of pods that have to stop. If there are
    too many for an index entry, the last ones are omitted.

    >>> driver = PodSetAssignment(name="driver", count=1, flavors={"cpu": "spot", "gpu": "a100"})
    >>> flavors_text((driver,)), flavors_text(())
    ('["a100","spot"]', None)
    """
    placed = {place.capacity for each in assignment for place in (*each.places, *each.stopping)}
    assigned = {flavor for each in assignment for flavor in each.flavors.values()}
    names = sorted(assigned | {name for name in placed if name is not None})
    lengths = accumulate(len(json.dumps(name)) + 1 for name in names)
    kept = [name for name, end in zip(names, lengths, strict=True) if end < LONGEST_FLAVORS]
    return json.dumps(kept, separators=(",", ":")) if kept else None


def flavors_of_text(text: str | None) -> tuple[str, ...]:
    """Return the flavors in a text of `flavors_text`."""
    return tuple(json.loads(text)) if text else ()


def decode_assignment(stored: Sequence[Mapping[str, Any]]) -> Assignment:
    """Return the assignment of a value of `encode_assignment`."""
    return tuple(
        PodSetAssignment(
            name=each["name"],
            count=each["count"],
            flavors=each["flavors"],
            places=tuple(_decode_place(place) for place in each.get("places", ())),
            stopping=tuple(_decode_place(place) for place in each.get("stopping", ())),
        )
        for each in stored
    )


def stored_flavors(stored: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the flavor of each resource for which all pod sets of an assignment have the same."""
    return merged_flavors(decode_assignment(stored))
