"""
Detects preemption loops: a workload that is evicted for the same preemptor again and again.

By Kueue's rules alone, two workloads may preempt each other without end. When a loop is detected,
the victim yields: the preemptor goes first, and does not preempt it again (not Kueue's rule).
Repeated preemption alone is no loop: the same situation has to recur.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from console.engine.model.amounts import FlavorResource

#: The situations in which a workload was evicted, in order, by the id of the preemptor.
Stops: TypeAlias = Mapping[str, tuple[str, ...]]

#: Shared value of all workloads that were never evicted.
NEVER: Stops = MappingProxyType({})

#: Evictions for one preemptor that count as a loop, whatever the situations: this keeps rows
#: small, and lets `settle` end however many different situations occur.
MOST_STOPS = 16

#: Bytes of the hash of a situation.
_SIZE = 6


def situation(
    usage: Mapping[FlavorResource, int],
    targets: Iterable[tuple[str, Mapping[FlavorResource, int]]],
    stops: Mapping[str, int],
) -> str:
    """
    Return a hash of a preemption, equal when the same preemption recurs in the same situation.

    *usage* is the future usage of the preemptor, *targets* are the ids and usage of all workloads
    that have to stop, and *stops* counts the evictions of the preemptor itself by the id of its
    preemptors: if it ran since its last preemption, it was evicted in between.
    """
    parts = (
        sorted(usage.items()),
        sorted((uid, sorted(held.items())) for uid, held in targets),
        sorted((uid, min(count, 2)) for uid, count in stops.items()),
    )
    return blake2b(repr(parts).encode(), digest_size=_SIZE).hexdigest()


def is_loop(stops: Stops, preemptor: str) -> bool:
    """Return whether *stops* shows two evictions for *preemptor* in the same situation."""
    past = stops.get(preemptor, ())
    return len(set(past)) < len(past) or len(past) >= MOST_STOPS
