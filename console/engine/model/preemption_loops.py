"""
Circles: a workload that is told to stop for the same other one, again and again.

Kueue's rules alone may let two workloads take each other's room for ever. Where that is seen,
the workload that stops is left alone by the other one, and lets it go first (not Kueue's rule).
Being stopped repeatedly is no circle by itself: the situation has to come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from console.engine.model.amounts import FlavorResource

#: The situations in which a workload was told to stop, in order, by the id of the preemptor.
Stops: TypeAlias = Mapping[str, tuple[str, ...]]

#: A workload that was never told to stop: shared by all of which that is true.
NEVER: Stops = MappingProxyType({})

#: Stops for one preemptor after which these count as a circle, whatever the situations: rows
#: stay small, and settling has an end that does not depend on how many situations there are.
MOST_STOPS = 16

#: Bytes of a situation.
_SIZE = 6


def situation(
    usage: Mapping[FlavorResource, int],
    targets: Iterable[tuple[str, Mapping[FlavorResource, int]]],
    stops: Mapping[str, int],
) -> str:
    """
    Return a short text that is equal where a preemptor asks for the same as before.

    *usage* is what the preemptor would hold, *targets* are the ids of all workloads that have to
    stop with what they hold, and *stops* says how often the preemptor itself was told to stop, by
    the id of the workload for which. One that has run since it last asked was stopped in between.
    """
    parts = (
        sorted(usage.items()),
        sorted((uid, sorted(held.items())) for uid, held in targets),
        sorted((uid, min(count, 2)) for uid, count in stops.items()),
    )
    return blake2b(repr(parts).encode(), digest_size=_SIZE).hexdigest()


def is_circle(stops: Stops, preemptor: str) -> bool:
    """Say whether a workload with *stops* was told twice to stop for *preemptor* in one way."""
    told = stops.get(preemptor, ())
    return len(set(told)) < len(told) or len(told) >= MOST_STOPS
