"""Rows of the list of cohorts, and of the pending reasons of a cohort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.wording import reasons
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.workloads.queries.cohort_views import CohortSummary, CohortView
from console.workloads.queries.freshness import CURRENT, Freshness

#: Maximum number of listed queues per reason.
_LISTED = 5

#: Contention above which it is written as a multiple of the pool, not in percent.
_LARGEST_PERCENTAGE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortRow:
    """One cohort with its bars."""

    view: CohortSummary
    #: Number of ancestor cohorts.
    depth: int
    bars: tuple[Bar, ...]
    tightest: Bar | None
    #: The highest pressure of a pool (used plus requested by reachable capacity), in words.
    contention: str
    #: Number of bars besides the tightest one.
    more_bars: int
    #: Id of the row, independent of the sort order.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRow:
    """One pending reason in a cohort, with the queues."""

    reason: str
    title: str
    count: int
    queues: tuple[tuple[str, int], ...]
    more_queues: int


def cohort_row(
    summary: CohortSummary,
    fresh: Freshness = CURRENT,
    peaks: Mapping[FlavorResource, int] | None = None,
) -> CohortRow:
    """
    Return the row of *summary*.

    *peaks* is the maximum use of each flavor-resource in seven days, as far as known.
    """
    most = peaks or {}
    bars = tuple(bar_of(pool, fresh=fresh, peak=most.get(pool.key, 0)) for pool in summary.pools)
    return CohortRow(
        view=summary,
        depth=len(summary.path),
        bars=bars,
        tightest=max(bars, key=lambda bar: bar.pressure, default=None),
        contention=contention_text(summary.contention),
        more_bars=max(0, len(bars) - 1),
        key=summary.name.encode().hex(),
    )


def contention_text(contention: float) -> str:
    """
    Return the contention of a pool in percent, or as a multiple of the pool if it is large.

    >>> contention_text(1.25), contention_text(10), contention_text(12.4)
    ('125 %', '1000 %', '12.4 times the pool')
    """
    if contention > _LARGEST_PERCENTAGE:
        return f"{contention:.1f} times the pool"
    return f"{contention:.0%}".replace("%", " %")


def has_no_limit(summary: CohortSummary) -> bool:
    """Return whether a pool is unlimited, so that its bar is scaled by its peak use."""
    return any(isinstance(pool.guaranteed, Unlimited) for pool in summary.pools)


def reason_rows(view: CohortView) -> tuple[ReasonRow, ...]:
    """Return the rows of the pending reasons of a cohort."""
    return tuple(
        ReasonRow(
            reason=waiting.reason,
            title=reasons.reason_title(waiting.reason),
            count=waiting.count,
            queues=waiting.queues[:_LISTED],
            more_queues=max(0, len(waiting.queues) - _LISTED),
        )
        for waiting in view.waiting
    )
