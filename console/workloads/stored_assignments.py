"""
Assignments as rows keep them: one object per pod set, in the order of the workload.

The flavors in it are kept once more as one text, by which workloads are found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import Any

from console.engine.model.decision import Assignment, Place, PodSetAssignment, merged_flavors

#: Characters of the text of flavors, all of them ASCII: an entry of an index has to hold it.
LONGEST_FLAVORS = 2000


def encode_assignment(assignment: Assignment) -> list[dict[str, Any]]:
    """
    Return *assignment* as it is stored.

    >>> encode_assignment((PodSetAssignment(name="main", count=1, flavors={"gpu": "spot"}),))
    [{'name': 'main', 'count': 1, 'flavors': {'gpu': 'spot'}}]

    Places are there only where the discipline assigned some.

    >>> here = Place(count=2, node="n1")
    >>> encode_assignment((PodSetAssignment(name="main", count=2, flavors={}, places=(here,)),))
    [{'name': 'main', 'count': 2, 'flavors': {}, 'places': [{'count': 2, 'node': 'n1'}]}]
    """
    return [
        {
            "name": each.name,
            "count": each.count,
            "flavors": dict(each.flavors),
            **({"places": list(map(_encode_place, each.places))} if each.places else {}),
        }
        for each in assignment
    ]


def _encode_place(place: Place) -> dict[str, Any]:
    return {name: value for name, value in asdict(place).items() if value is not None}


def flavors_text(assignment: Assignment) -> str | None:
    """
    Return the flavors of *assignment* as one text, by which rows are found; None without any.

    Of so many that no index would take them, the last are left out.

    >>> driver = PodSetAssignment(name="driver", count=1, flavors={"cpu": "spot", "gpu": "a100"})
    >>> flavors_text((driver,)), flavors_text(())
    ('["a100","spot"]', None)
    """
    names = sorted({flavor for each in assignment for flavor in each.flavors.values()})
    lengths = accumulate(len(json.dumps(name)) + 1 for name in names)
    kept = [name for name, end in zip(names, lengths, strict=True) if end < LONGEST_FLAVORS]
    return json.dumps(kept, separators=(",", ":")) if kept else None


def flavors_of_text(text: str | None) -> tuple[str, ...]:
    """Return the flavors that `flavors_text` wrote."""
    return tuple(json.loads(text)) if text else ()


def decode_assignment(stored: Sequence[Mapping[str, Any]]) -> Assignment:
    """Return what `encode_assignment` wrote."""
    return tuple(
        PodSetAssignment(
            name=each["name"],
            count=each["count"],
            flavors=each["flavors"],
            places=tuple(Place(**place) for place in each.get("places", ())),
        )
        for each in stored
    )


def stored_flavors(stored: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the flavor of each resource on which all pod sets of a stored assignment agree."""
    return merged_flavors(decode_assignment(stored))
