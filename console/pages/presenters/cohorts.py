"""Cohorts as pages show them: rows of the list, and the matrix of members and flavor-resources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from console.engine import reasons
from console.engine.amounts import Unlimited
from console.engine.ledger import FlavorResource
from console.engine.words import amount, quantity
from console.pages.presenters.lending import share_words
from console.pages.presenters.quota import (
    NOTHING,
    Bar,
    Segment,
    bar_of,
    lending_notes,
    segment,
    up_to,
)
from console.workloads.queries import UsageView
from console.workloads.queries.cohorts import CohortSummary, CohortView, MemberView

#: Width of a drawing in a cell of the matrix.
CELL = 200

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
    #: Bars beyond the tightest.
    more_bars: int
    #: Id of the row, stable however the list changes.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a member uses of one flavor-resource; drawings of one resource share their scale."""

    title: str
    own: Segment = NOTHING
    lent: Segment = NOTHING
    borrowed: Segment = NOTHING
    over: Segment = NOTHING
    #: Where the nominal quota ends.
    mark: int = 0
    numbers: str = ""
    note: str = ""
    sentence: str = ""
    #: The member has no quota of it and uses none.
    is_absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One queue or cohort of the matrix."""

    member: MemberView
    cells: tuple[Cell, ...]
    #: What it borrows and lends in all, in words.
    net: str
    #: Its fair share; empty where shares decide nothing.
    share: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRow:
    """Why workloads of a cohort wait, and where."""

    reason: str
    title: str
    count: int
    queues: tuple[tuple[str, int], ...]
    more_queues: int


def cohort_row(summary: CohortSummary) -> CohortRow:
    """Return *summary* with everything a page prints of it."""
    bars = tuple(bar_of(pool) for pool in summary.pools)
    return CohortRow(
        view=summary,
        depth=len(summary.path),
        bars=bars,
        tightest=max(bars, key=lambda bar: bar.pressure, default=None),
        more_bars=max(0, len(bars) - 1),
        key=summary.name.encode().hex(),
    )


def columns_of(view: CohortView) -> list[FlavorResource]:
    """Return the columns of a cohort's matrix: what its members have quota of, in their order."""
    return list(dict.fromkeys(usage.key for member in view.members for usage in member.usages))


def matrix_rows(
    view: CohortView, members: Iterable[MemberView], columns: Sequence[FlavorResource]
) -> tuple[MatrixRow, ...]:
    """Return the rows of *members*; lengths compare over the whole cohort."""
    scales = _scales(view)
    return tuple(_row(member, columns, scales) for member in members)


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


def _scales(view: CohortView) -> dict[str, int]:
    """Return what a full drawing stands for, by resource: the most that a queue owns or uses."""
    scales: dict[str, int] = {}
    for member in view.members:
        for usage in () if member.is_cohort else member.usages:
            owned = 0 if isinstance(usage.nominal, Unlimited) else usage.nominal
            scales[usage.resource] = max(scales.get(usage.resource, 1), owned, usage.used)
    return scales


def _row(
    member: MemberView, columns: Sequence[FlavorResource], scales: dict[str, int]
) -> MatrixRow:
    usages = {usage.key: usage for usage in member.usages}
    kind = "c" if member.is_cohort else "q"
    return MatrixRow(
        member=member,
        cells=tuple(
            _cell(key, usages.get(key), scales.get(key[1], 1), member.is_cohort) for key in columns
        ),
        net=_net(member.usages),
        share=share_words(member.share),
        key=f"{kind}{member.name.encode().hex()}",
    )


def _cell(key: FlavorResource, usage: UsageView | None, scale: int, is_cohort: bool) -> Cell:
    flavor, resource = key
    title = f"{flavor} {resource}"
    if usage is None:
        return Cell(title=title, is_absent=True)
    used = quantity(usage.used, resource)
    if isinstance(usage.nominal, Unlimited):
        numbers = said = f"{used} used, no limit"
    else:
        numbers = f"{used} of {quantity(usage.nominal, resource)}"
        said = f"{numbers} used"
    note = ", ".join(lending_notes(usage))
    cell = Cell(
        title=title,
        numbers=f"{numbers} pooled" if is_cohort else numbers,
        note=note,
        sentence=", ".join(part for part in (f"{title}: {said}", note) if part),
    )
    # A pool is not drawn: beside it every queue would be tiny.
    return cell if is_cohort else _drawn(cell, usage, scale)


def _drawn(cell: Cell, usage: UsageView, scale: int) -> Cell:
    """Return *cell* with its drawing."""
    width = CELL - 2
    nominal = usage.nominal
    lent_from = usage.own if isinstance(nominal, Unlimited) else nominal - usage.lent
    return replace(
        cell,
        own=segment(0, usage.own, scale, width),
        lent=segment(lent_from, usage.lent, scale, width),
        borrowed=segment(usage.own, usage.borrowed, scale, width),
        over=segment(usage.own + usage.borrowed, usage.over, scale, width),
        mark=0 if isinstance(nominal, Unlimited) else max(1, nominal * CELL // scale),
    )


def _net(usages: Iterable[UsageView]) -> str:
    borrowed: dict[str, int] = {}
    lent: dict[str, int] = {}
    certain: dict[str, bool] = {}
    for usage in usages:
        borrowed[usage.resource] = borrowed.get(usage.resource, 0) + usage.borrowed
        lent[usage.resource] = lent.get(usage.resource, 0) + usage.lent
        if usage.lent:
            certain[usage.resource] = certain.get(usage.resource, True) and usage.is_certain
    takes = [f"borrows {amount(total, name)}" for name, total in borrowed.items() if total]
    gives = [
        f"lends {up_to(total, name, certain[name])} {name}" for name, total in lent.items() if total
    ]
    return ", ".join([*takes, *gives])
