"""Cohorts as pages show them: rows of the list, and why work of a cohort waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.wording import reasons
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.workloads.queries.cohort_views import CohortSummary, CohortView
from console.workloads.queries.trust import CURRENT, Freshness

#: Queues that one reason lists.
_LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortRow:
    """One cohort with its bars."""

    view: CohortSummary
    #: How many cohorts are around it.
    depth: int
    bars: tuple[Bar, ...]
    tightest: Bar | None
    #: What is used and wanted of the tightest pool, in percent of what is within reach.
    contention: str
    #: Bars beyond the tightest.
    more_bars: int
    #: Id of the row, stable however the list changes.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRow:
    """Why workloads of a cohort wait, and where."""

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
    Return *summary* with everything a page prints of it.

    *peaks*: the most that was used of each flavor-resource in seven days, as far as is known.
    """
    most = peaks or {}
    bars = tuple(bar_of(pool, fresh=fresh, peak=most.get(pool.key, 0)) for pool in summary.pools)
    return CohortRow(
        view=summary,
        depth=len(summary.path),
        bars=bars,
        tightest=max(bars, key=lambda bar: bar.pressure, default=None),
        contention=f"{summary.contention:.0%}".replace("%", " %"),
        more_bars=max(0, len(bars) - 1),
        key=summary.name.encode().hex(),
    )


def has_no_limit(summary: CohortSummary) -> bool:
    """Say whether some pool is measured by what it was used at most, for want of a limit."""
    return any(isinstance(pool.guaranteed, Unlimited) for pool in summary.pools)


def reason_rows(view: CohortView) -> tuple[ReasonRow, ...]:
    """Return why work of a cohort waits, with words."""
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
