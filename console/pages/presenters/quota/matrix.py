"""Matrix of a cohort: members by flavor-resource, with one scale for each resource."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.wording.words import amount, listed, quantity
from console.pages.presenters.quota.lending import share_words
from console.pages.presenters.quota_bars.layout import NOTHING, WIDTH, Segment, lay_out, seams
from console.pages.presenters.quota_bars.quota_bar import anchor_of, lending_notes, own_parts
from console.workloads.queries.cohort_search import MemberSearch, scales_of
from console.workloads.queries.cohort_views import CohortView, MemberView
from console.workloads.queries.freshness import CURRENT, Freshness
from console.workloads.queries.over_quota import OverQuotaMark


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The use of one flavor-resource by a member."""

    title: str
    #: Anchor of the flavor-resource on the member's page.
    anchor: str = ""
    is_drawn: bool = False
    track: Segment = NOTHING
    own: Segment = NOTHING
    lent: Segment = NOTHING
    borrowed: Segment = NOTHING
    over: Segment = NOTHING
    seams: tuple[Segment, ...] = ()
    #: End of the nominal quota.
    mark: Segment | None = None
    numbers: str = ""
    note: str = ""
    #: Whether the member has no quota of the flavor-resource.
    is_absent: bool = False
    #: Whether the numbers are inconsistent.
    broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One queue or cohort of the matrix."""

    member: MemberView
    cells: tuple[Cell, ...]
    #: Text of the total borrowed and lent amounts.
    net: str
    #: The fair share; empty if fair sharing is off.
    share: str
    key: str


def columns_of(view: CohortView) -> list[FlavorResource]:
    """Return the flavor-resources of a cohort's members, in order of first occurrence."""
    return list(dict.fromkeys(usage.key for member in view.members for usage in member.usages))


def matrix_rows(
    view: CohortView,
    members: Iterable[MemberView],
    columns: Sequence[FlavorResource],
    search: MemberSearch,
    fresh: Freshness = CURRENT,
) -> tuple[MatrixRow, ...]:
    """
    Return the rows of *members*; all pages of the cohort have the same scales.

    Cohorts have bars only if direct members are shown. Beside the queues inside them, their bars
    would make those of the queues too small.
    """
    scales = scales_of(view.members, with_cohorts=search.direct)
    rows = []
    for member in members:
        usages = {usage.key: usage for usage in member.usages}
        is_drawn = search.direct or not member.is_cohort
        cells = []
        for key in columns:
            usage = usages.get(key)
            rise = None if member.is_cohort else view.over_quota_since.get((member.name, *key))
            cell = _cell(key, usage, member.is_cohort, rise, fresh)
            if usage is not None and is_drawn and _has_something(usage, cell, fresh):
                cell = _drawn(cell, usage, scales[key[1]])
            cells.append(cell)
        kind = "c" if member.is_cohort else "q"
        rows.append(
            MatrixRow(
                member=member,
                cells=tuple(cells),
                net="" if fresh.is_unknown else _net(member.usages),
                share=share_words(member.share),
                key=f"{kind}{member.name.encode().hex()}",
            )
        )
    return tuple(rows)


def _cell(
    key: FlavorResource,
    usage: CapacityNode | None,
    is_cohort: bool,
    rise: OverQuotaMark | None,
    fresh: Freshness,
) -> Cell:
    flavor, resource = key
    title = f"{flavor} {resource}"
    if usage is None:
        return Cell(title=title, is_absent=True)
    cell = Cell(title=title, anchor=anchor_of(key))
    if fresh.is_unknown:
        return replace(cell, numbers="?", note="no data yet")
    used = quantity(usage.used, resource)
    if isinstance(usage.guaranteed, Unlimited):
        numbers = f"{used} used, no limit"
    else:
        numbers = f"{used} of {quantity(usage.guaranteed, resource)}"
    note = ", ".join(lending_notes(usage, rise))
    return replace(
        cell,
        numbers=f"{numbers} pooled" if is_cohort else numbers,
        note=note,
        broken=not usage.is_consistent,
    )


def _has_something(usage: CapacityNode, cell: Cell, fresh: Freshness) -> bool:
    """Return whether the cell has known, consistent, nonzero amounts to draw."""
    is_nothing = usage.guaranteed == 0 and usage.used == 0
    return not (is_nothing or cell.broken or fresh.is_unknown)


def _drawn(cell: Cell, usage: CapacityNode, scale: int) -> Cell:
    """Return *cell* with its drawing; the numbers of *usage* are consistent."""
    if isinstance(usage.guaranteed, Unlimited):
        (own,) = lay_out([usage.own], scale, WIDTH)
        return replace(cell, is_drawn=True, own=own)
    amounts = [*own_parts(usage, usage.guaranteed), usage.borrowed, usage.over]
    own, _, _, lent, borrowed, over = lay_out(amounts, scale, WIDTH)
    return replace(
        cell,
        is_drawn=True,
        track=Segment(0, lent.end),
        own=own,
        lent=lent,
        borrowed=borrowed,
        over=over,
        seams=seams((own, lent, borrowed, over)),
        mark=Segment(lent.end),
    )


def _net(usages: Iterable[CapacityNode]) -> str:
    borrowed: dict[str, int] = {}
    lent: dict[str, int] = {}
    certain: dict[str, bool] = {}
    for usage in usages:
        borrowed[usage.resource] = borrowed.get(usage.resource, 0) + usage.borrowed
        lent[usage.resource] = lent.get(usage.resource, 0) + usage.lent
        if usage.lent:
            certain[usage.resource] = certain.get(usage.resource, True) and usage.is_certain
    takes = [amount(total, name) for name, total in borrowed.items() if total]
    gives = [
        f"{'' if certain[name] else 'up to '}{amount(total, name)}"
        for name, total in lent.items()
        if total
    ]
    words = (("borrows", takes), ("lends", gives))
    return ", ".join(f"{verb} {listed(amounts)}" for verb, amounts in words if amounts)
