"""
The past usage of queues in a window, as parts of the capacity.

It is the integral of the used amount over time, divided by the integral of the capacity. With a
half life, both are weighted by 0.5 ^ (age / half life).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import expm1, log
from typing import Final

from console.engine.disciplines.fairshare.requests import offered_amounts
from console.engine.disciplines.fairshare.resources import (
    NOTHING,
    RESOURCES,
    Amounts,
    PerResource,
    plus,
)
from console.engine.disciplines.fairshare.spec import (
    POOL,
    FairshareSpec,
    UsageWindow,
    WindowKind,
)
from console.engine.model.usage_history import RecordedUsage, UsageHistory, UsageRange

_LN2: Final = log(2)

_KEYS: Final = tuple((POOL, resource) for resource in RESOURCES)


def window_begin(window: UsageWindow, now: int) -> int:
    """
    Return when the window that ends at *now* begins; times in milliseconds since 1970 in UTC.

    >>> tumbling = UsageWindow(kind=WindowKind.TUMBLING, length=10, start=3)
    >>> window_begin(tumbling, 42), window_begin(tumbling, 43), window_begin(tumbling, 2)
    (33, 43, -7)
    >>> window_begin(UsageWindow(length=10), 42)
    32
    """
    if window.kind is WindowKind.TUMBLING:
        return now - (now - window.start) % window.length
    return now - window.length


def usage_range(spec: FairshareSpec, now: int) -> UsageRange | None:
    """Return the past whose usage counts at *now*; None without a usage window."""
    window = spec.settings.usage_window
    if window is None:
        return None
    return UsageRange(since=window_begin(window, now), is_even=not window.half_life)


def weight(window: UsageWindow, begin: int, end: int, now: int) -> float:
    """
    Return the mean weight of the time from *begin* to *end*, from 0 to 1.

    Time outside of the window that ends at *now* has none. Times in milliseconds since 1970 in UTC.

    >>> weight(UsageWindow(length=10), 0, 8, now=14)
    0.5
    >>> decaying = UsageWindow(length=1000, half_life=10)
    >>> [round(weight(decaying, begin, begin + 1, now=100), 3) for begin in (99, 89, 79)]
    [0.966, 0.483, 0.242]
    """
    first, last = max(begin, window_begin(window, now)), min(end, now)
    if last <= first:
        return 0.0
    if not window.half_life:
        return (last - first) / (end - begin)
    half_life: int = window.half_life
    newest: float = 0.5 ** ((now - last) / half_life)
    decayed = newest * -expm1(-_LN2 * (last - first) / half_life) * half_life / _LN2
    return decayed / (end - begin)


def usage_parts(
    spec: FairshareSpec, now: int, recorded: Iterable[RecordedUsage]
) -> dict[str, dict[str, float]]:
    """
    Return the part of the capacity that each queue used in the window that ends at *now*.

    By queue and resource, without zeros. While there was no cluster, the nodes of the text are the
    capacity. A resource without capacity counts as unused.
    """
    window = spec.settings.usage_window
    if window is None:
        return {}
    declared = _sum(offered_amounts(each.offered) for each in spec.nodes.values())
    used: dict[str, list[float]] = {}
    capacity = [0.0, 0.0, 0.0]
    for span in recorded:
        factor = weight(window, span.begin, span.end, now)
        if not factor:
            continue
        _add(capacity, factor, _capacity(span, declared))
        for queue, amounts in span.used.items():
            _add(used.setdefault(queue, [0.0] * 3), factor, [amounts.get(k, 0) for k in _KEYS])
    found = {
        queue: {
            resource: amount / whole
            for resource, amount, whole in zip(RESOURCES, amounts, capacity, strict=True)
            if amount and whole
        }
        for queue, amounts in used.items()
    }
    return {queue: parts for queue, parts in found.items() if parts}


def current_usage(
    spec: FairshareSpec, history: UsageHistory | None, now: int
) -> dict[str, PerResource[float]] | None:
    """Return the past usage for fair shares at the time *now*; None: it has no influence."""
    if spec.settings.usage_window is None or history is None or not history.is_current(now):
        return None
    return {
        queue: PerResource(*(parts.get(resource, 0.0) for resource in RESOURCES))
        for queue, parts in history.parts.items()
    }


def _capacity(span: RecordedUsage, declared: Amounts) -> Amounts:
    """Return the capacity of *span*, as a sum over its sampled minutes."""
    if not span.offered:
        return PerResource(*(amount * span.minutes for amount in declared))
    # Clusters may name GPUs differently.
    by_cluster: dict[str, dict[str, int]] = {}
    for (cluster, resource), amount in span.offered.items():
        by_cluster.setdefault(cluster, {})[resource] = amount
    return _sum(map(offered_amounts, by_cluster.values()))


def _sum(amounts: Iterable[Amounts]) -> Amounts:
    total = NOTHING
    for each in amounts:
        total = plus(total, each)
    return total


def _add(total: list[float], factor: float, amounts: Sequence[int]) -> None:
    for place, amount in enumerate(amounts):
        total[place] += factor * amount
