"""The statement that adds counts to the totals."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from console.bulk import Prepared, add_to_rows
from console.telemetry.models import Metric, Total

#: Upper bounds of the buckets of each duration, in seconds; the last bucket is unbounded.
BOUNDS: Final[dict[Metric, tuple[float, ...]]] = {
    Metric.ADMISSION_WAIT: (0.25, 0.5, 1, 2.5, 5, 10, *(20 * 2**n for n in range(11))),
    Metric.CYCLE: (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    Metric.LOAD: (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    Metric.INTAKE_WAIT: (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
}

#: The label of the sum of a duration.
SUM: Final = "sum"

_COLUMNS = ("org_id", "metric", "queue", "label", "value")


class Count(NamedTuple):
    """An increment of one total."""

    metric: Metric
    queue: str = ""
    label: str = ""
    value: int = 1


def observed(metric: Metric, seconds: float, queue: str = "") -> Iterator[Count]:
    """
    Yield the increments of one duration; a negative one, from clocks that differ, counts as 0.

    >>> [tuple(count) for count in observed(Metric.CYCLE, 0.0025)][0][2:]
    ('1', 1)
    """
    duration = max(0.0, seconds)
    yield Count(metric, queue, str(bisect_left(BOUNDS[metric], duration)))
    yield Count(metric, queue, SUM, round(duration * 1_000_000))


def add_totals(org_id: int, counts: Iterable[Count]) -> Prepared:
    """
    Return the statement that adds *counts* to the totals of an organization.

    Run it in the transaction of the counted change.
    """
    added: Counter[tuple[str, str, str]] = Counter()
    for metric, queue, label, value in counts:
        added[metric.value, queue, label] += value
    return add_to_rows(
        Total,
        _COLUMNS,
        # In a fixed order, as for all rows that can exist already, to prevent deadlocks.
        ((org_id, *key, value) for key, value in sorted(added.items())),
        key=_COLUMNS[:-1],
        counts=("value",),
    )
