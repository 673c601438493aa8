"""Example bars for the page that explains quota bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.capacity_node import CapacityNode
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.workloads.queries.freshness import Freshness
from console.workloads.queries.over_quota import OverQuotaMark


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One example: title, explanation and bar."""

    title: str
    text: str
    bar: Bar


def bar_cases(now: datetime) -> Iterator[Case]:
    """Yield all examples, drawn by the same code as on other pages; ages count from *now*."""
    yield Case(
        title="Own and free",
        text="Solid is used own quota; the empty part up to the end is free.",
        bar=bar_of(_use(8000, 5000)),
    )
    yield Case(
        title="Pending demand",
        text=(
            "The dashed box outside the frame is requested by pending workloads. It is not part "
            "of the used quota. It is drawn to scale up to 40 % of the frame."
        ),
        bar=bar_of(_use(8000, 8000, demand=3000)),
    )
    yield Case(
        title="Borrowed, up to a limit",
        text=(
            "The mark is the nominal quota. Stripes are borrowed quota, the dashed outline is "
            "available to borrow now, and the double line is the limit."
        ),
        bar=bar_of(_use(64000, 76000, borrowed=12000, available=4000, limit=80000, demand=20000)),
    )
    yield Case(
        title="Lent",
        text=(
            "Dots, from the right, are own quota that other queues use. An amount is marked "
            "“up to” where other queues could also have lent it."
        ),
        bar=bar_of(_use(32000, 12000, lent=14000, is_certain=False, available=6000, limit=48000)),
    )
    yield Case(
        title="Over nominal",
        text=(
            "Used above the nominal quota but not borrowed: the quota was reduced after "
            "admission. The version is the one under which usage exceeded nominal."
        ),
        bar=bar_of(_use(8000, 12000), rise=OverQuotaMark(now - timedelta(hours=3), 43)),
    )
    yield Case(
        title="Not available",
        text=(
            "Crossed out is unused own quota that is not available now, because other queues are "
            "over nominal and use it."
        ),
        bar=bar_of(_use(8000, 3000, available=2000, limit=16000)),
    )
    yield Case(
        title="Distant limit, or none",
        text=(
            "Drawn to scale, the limit would make the own quota too small to see. The frame is "
            "open, and the limit is given as a number."
        ),
        bar=bar_of(_use(8000, 6000, available=300000, limit=512000)),
    )
    yield Case(
        title="Unlimited",
        text=(
            "Without a nominal quota there is no full length and no percentage. The dashed mark "
            "is the 7-day peak."
        ),
        bar=bar_of(_use(UNLIMITED, 30000), peak=45000),
    )
    yield Case(
        title="Zero",
        text="No own quota and no borrowing: fully crossed out, and all workloads wait.",
        bar=bar_of(_use(0, 0, demand=4000)),
    )
    yield Case(
        title="No own quota",
        text="Nominal quota 0, with borrowing allowed.",
        bar=bar_of(_use(0, 3000, borrowed=3000, available=5000, limit=8000)),
    )
    yield Case(
        title="Old",
        text=(
            "Long dashes: a request is not decided yet. The numbers are exact as of the given time."
        ),
        bar=bar_of(_use(8000, 5000), fresh=Freshness(as_of=now - timedelta(minutes=4))),
    )
    yield Case(
        title="Unknown",
        text="No decision yet: a question mark, not 0.",
        bar=bar_of(
            _use(8000, 0), fresh=Freshness(as_of=now - timedelta(minutes=4), is_unknown=True)
        ),
    )
    yield Case(
        title="Inconsistent numbers",
        text="The numbers contradict each other, so nothing is drawn. Please report this bug.",
        bar=bar_of(_use(8000, 4000, lent=6000)),
    )


def _use(nominal: Amount, used: int, **more: Any) -> CapacityNode:
    """Return a capacity node of a queue without a cohort; *more* sets other amounts."""
    given = {"limit": nominal, "demand": 0, "available": max(0, nominal - used), **more}
    names = ("borrowed", "lent", "is_certain")
    return CapacityNode(
        kind="queue",
        path=("queue",),
        flavor="spot",
        resource="gpu",
        guaranteed=nominal,
        limit=given["limit"],
        used=used,
        entitled=used + given["available"],
        demand=given["demand"],
        cannot_run_demand=0,
        extras={name: given[name] for name in names if name in given},
    )
