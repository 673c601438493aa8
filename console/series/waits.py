"""
Histogram of waits with logarithmic buckets, whose counts can be added in any order.

Each bucket is longer than the previous one by a factor of 2^(1/8), about 9 %, and represents its
geometric mean: a quantile of the histogram is within 4.5 % of the exact quantile, or within a tenth
of a second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Seconds up to which a wait counts as zero.
LEAST: Final = 0.1
#: Number of buckets per doubling of the wait.
PER_DOUBLING: Final = 8
#: The last bucket, which is open: waits of more than a year.
LAST: Final = 230
#: Bucket of admissions after a preemption, whose wait is not counted.
NO_WAIT: Final = -1

#: Minimum number of waits for the 95th percentile.
ENOUGH_FOR_P95: Final = 20


def bucket_of(seconds: float) -> int:
    """
    Return the bucket of a wait, which can be negative if clocks differ.

    >>> [bucket_of(seconds) for seconds in (-1, 0.1, 0.1001, 60, 3600, 1e12)]
    [0, 0, 1, 74, 122, 230]
    """
    if seconds <= LEAST:
        return 0
    return min(LAST, 1 + int(PER_DOUBLING * math.log2(seconds / LEAST)))


def seconds_of(bucket: int) -> float:
    """
    Return the wait that a bucket represents, in seconds.

    >>> [round(seconds_of(bucket), 1) for bucket in (0, 1, 74, 122)]
    [0.0, 0.1, 58.3, 3731.6]
    """
    if bucket <= 0:
        return 0.0
    return float(LEAST * 2 ** ((bucket - 0.5) / PER_DOUBLING))


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitQuantiles:
    """Percentiles of waits in seconds; None with too few admissions."""

    p50: float | None
    p95: float | None
    #: Number of waits.
    n: int


def quantiles(counts: Mapping[int, int]) -> WaitQuantiles:
    """Return the quantiles of waits counted by bucket, without `NO_WAIT`."""
    waits = sorted((bucket, count) for bucket, count in counts.items() if bucket >= 0 and count)
    n = sum(count for _, count in waits)
    return WaitQuantiles(
        p50=_at(waits, n, 50) if n else None,
        p95=_at(waits, n, 95) if n >= ENOUGH_FOR_P95 else None,
        n=n,
    )


def _at(waits: list[tuple[int, int]], n: int, percent: int) -> float:
    """Return the smallest wait that at least *percent* of all waits do not exceed."""
    rank = -(-n * percent // 100)
    for bucket, count in waits:
        rank -= count
        if rank <= 0:
            return seconds_of(bucket)
    raise AssertionError("a rank is at most the number of waits")
