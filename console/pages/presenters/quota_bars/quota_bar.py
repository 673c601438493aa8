"""
The quota bar: a drawing and texts about one flavor-resource of a queue or cohort.

From the left: used own quota, free, lent; the nominal mark; borrowed, over nominal, and
available to borrow; the limit. Demand is drawn outside the frame, because it uses no quota.
Inconsistent numbers are not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.wording.words import amount, quantity
from console.pages.presenters.quota_bars.layout import NOTHING, WIDTH, Segment, lay_out, seams
from console.workloads.queries.freshness import CURRENT, Freshness
from console.workloads.queries.over_quota import OverQuotaMark

#: Width of the frame, and of the space for demand: up to 40 % of the frame, and a number.
FRAME = 714
DEMAND = WIDTH - FRAME
WHOLE = Segment(0, FRAME)
#: Minimum length of demand, so that its outline is visible.
_LEAST_DEMAND = 24
#: A limit is drawn if it is at most this multiple of the nominal quota and the used amount.
_FAR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Segments and texts of a bar."""

    flavor: str
    resource: str
    #: HTML id.
    anchor: str
    frame: Segment = WHOLE
    #: Background of the nominal quota.
    track: Segment = WHOLE
    own: Segment = NOTHING
    #: Free quota that is available.
    free: Segment = NOTHING
    #: Free quota that is not available, because other queues are over nominal.
    shut: Segment = NOTHING
    #: Lent quota, at the right end of the nominal quota.
    lent: Segment = NOTHING
    borrowed: Segment = NOTHING
    #: Use beyond nominal quota that is not borrowed.
    over: Segment = NOTHING
    #: Quota that can be borrowed now.
    room: Segment = NOTHING
    #: Positions where two drawn parts touch.
    seams: tuple[Segment, ...] = ()
    #: End of the nominal quota if it is inside the frame.
    mark: Segment | None = None
    #: Position of the limit if it is not the nominal quota.
    limit: Segment | None = None
    #: Maximum use in the last seven days; only for unlimited quota.
    peak: Segment | None = None
    demand: Segment = NOTHING
    #: Whether the frame is open: the limit is far away, or there is none.
    unlimited: bool = False
    blocked: bool = False
    #: Whether the numbers are inconsistent, so that nothing is drawn.
    broken: bool = False
    #: Whether there are no numbers, so that the frame is empty.
    unknown: bool = False
    #: Time as of which the numbers are exact; None means now.
    as_of: datetime | None = None
    used_text: str = ""
    #: Used amount and nominal quota for one line; the limit if the quota is 0.
    short_text: str = ""
    of_text: str = ""
    note: str = ""
    free_text: str = ""
    demand_text: str = ""
    #: Requests of workloads that can never run under the active config.
    cannot_run_text: str = ""
    available_text: str = ""
    sentence: str = ""
    #: Pressure, from 0; used only for sorting.
    pressure: float = 0.0


def bar_of(
    usage: CapacityNode,
    *,
    draining: bool = False,
    rise: OverQuotaMark | None = None,
    peak: int = 0,
    fresh: Freshness = CURRENT,
) -> Bar:
    """
    Return the bar of one flavor-resource.

    *draining*: the active version does not have the queue. *rise*: the start of use above nominal
    quota. *peak*: the maximum use in seven days. *fresh*: the age of the numbers.
    """
    resource = usage.resource
    empty = Bar(
        flavor=usage.flavor, resource=resource, anchor=anchor_of(usage.key), as_of=fresh.as_of
    )
    if fresh.is_unknown:
        return replace(
            empty,
            unknown=True,
            used_text="?",
            short_text="?",
            of_text=f"{resource}, no data yet",
            available_text="?",
            sentence=f"{usage.flavor} {resource}: no data yet, no decision so far",
        )
    of_text, notes = _words(usage, draining, rise, peak)
    demand_text = f"{quantity(usage.demand, resource)} requested" if usage.demand else ""
    cannot_run_text = (
        f"{quantity(usage.cannot_run_demand, resource)} requested that can never run"
        if usage.cannot_run_demand
        else ""
    )
    text_bar = replace(
        empty,
        used_text=quantity(usage.used, resource),
        short_text=_short(usage),
        of_text=of_text,
        note=", ".join(notes),
        free_text=_free(usage),
        demand_text=demand_text,
        cannot_run_text=cannot_run_text,
        available_text=quantity(usage.available, resource),
        pressure=usage.pressure,
    )
    used = f"{usage.flavor} {resource}: {text_bar.used_text} {of_text}"
    parts = (used, *notes, text_bar.free_text, demand_text, cannot_run_text)
    text_bar = replace(text_bar, sentence=", ".join(part for part in parts if part))
    if not usage.is_consistent:
        return replace(text_bar, broken=True, sentence=f"{text_bar.sentence}: inconsistent numbers")
    return _drawn(text_bar, usage, peak)


def anchor_of(key: FlavorResource) -> str:
    """Return the HTML id of a flavor-resource on the page of a queue or cohort."""
    return f"quota-{'/'.join(key).encode().hex()}"


def up_to(value: Amount, resource: str, is_certain: bool) -> str:
    """
    Return the text of an amount attributed by convention, with "up to" if it is not certain.

    >>> up_to(2000, "gpu", True), up_to(2000, "gpu", False)
    ('2', 'up to 2')
    """
    number = quantity(value, resource)
    return number if is_certain else f"up to {number}"


def lending_notes(usage: CapacityNode, rise: OverQuotaMark | None = None) -> list[str]:
    """Return texts of the nonzero amounts that are borrowed, over nominal and lent."""
    resource = usage.resource
    notes = []
    if usage.borrowed:
        notes.append(f"{quantity(usage.borrowed, resource)} borrowed")
    if usage.over:
        since = f" since v{rise.config_version}" if rise else ""
        notes.append(f"{quantity(usage.over, resource)} over nominal{since}")
    if usage.lent:
        notes.append(f"{up_to(usage.lent, resource, usage.is_certain)} lent")
    return notes


def own_parts(usage: CapacityNode, nominal: int) -> tuple[int, int, int, int]:
    """Return the parts of *nominal*: used own quota, free, not available, and lent."""
    unused = nominal - usage.own - usage.lent
    free = min(unused, usage.available)
    assert isinstance(free, int), "the unused part of a finite quota is finite"
    return usage.own, free, unused - free, usage.lent


def _words(
    usage: CapacityNode, draining: bool, rise: OverQuotaMark | None, peak: int
) -> tuple[str, list[str]]:
    """Return the text after the used amount, and the notes."""
    resource = usage.resource
    unit = amount(usage.used, resource).partition(" ")[2]
    notes = lending_notes(usage, rise)
    if usage.limit not in (usage.guaranteed, 0):
        notes.append(f"limit {quantity(usage.limit, resource)}")
    if isinstance(usage.guaranteed, Unlimited):
        if peak:
            notes.append(f"7-day peak {quantity(peak, resource)}")
        return f"{unit} used, no limit", notes
    if usage.guaranteed == 0 and usage.limit == 0:
        if draining and usage.used:
            notes = ["draining"]
        elif not usage.used:
            notes = ["blocked"]
        return f"{unit} used of 0", notes
    if usage.is_consistent and (shut := own_parts(usage, usage.guaranteed)[2]):
        notes.append(f"{quantity(shut, resource)} unused but not available")
    return f"of {amount(usage.guaranteed, resource)} used", notes


def _short(usage: CapacityNode) -> str:
    most = usage.guaranteed or usage.limit
    if isinstance(most, Unlimited) or (most == 0 and usage.used):
        return amount(usage.used, usage.resource)
    return f"{quantity(usage.used, usage.resource)}/{amount(most, usage.resource)}"


def _free(usage: CapacityNode) -> str:
    if isinstance(usage.available, Unlimited) or not usage.available:
        return ""
    word = "free" if usage.limit == usage.guaranteed else "available"
    return f"{quantity(usage.available, usage.resource)} {word}"


def _drawn(bar: Bar, usage: CapacityNode, peak: int) -> Bar:
    """Return *bar* with its drawing; the numbers of *usage* are consistent."""
    if isinstance(usage.guaranteed, Unlimited):
        return _without_limit(bar, usage, peak)
    if usage.guaranteed == 0 and usage.limit == 0:
        return _without_quota(bar, usage)
    nominal = usage.guaranteed
    scale = _scale(usage, nominal)
    held = max(nominal, usage.used)
    reach = usage.used + usage.available if isinstance(usage.available, int) else scale
    top = min(scale, usage.limit) if isinstance(usage.limit, int) else scale
    room = max(0, min(reach, top) - held)
    parts = lay_out([*own_parts(usage, nominal), usage.borrowed, usage.over, room], scale, FRAME)
    own, free, shut, lent, borrowed, over, room_part = parts
    shape = replace(
        bar,
        track=Segment(0, lent.end),
        own=own,
        free=free,
        shut=shut,
        lent=lent,
        borrowed=borrowed,
        over=over,
        room=room_part,
        seams=seams((own, shut, lent, borrowed, over, room_part)),
        mark=Segment(lent.end) if scale > nominal else None,
        demand=_demand(usage.demand, scale),
    )
    limit = usage.limit
    if isinstance(limit, Unlimited) or limit > scale:
        return replace(shape, unlimited=True)
    if limit == nominal:
        return shape
    # Parts with the minimum length are drawn too long and must not reach beyond the limit.
    place = limit * FRAME // scale
    if limit >= held:
        place = max(place, over.end, room_part.end)
    return replace(shape, limit=Segment(min(place, FRAME)))


def _without_limit(bar: Bar, usage: CapacityNode, peak: int) -> Bar:
    """Draw used and lent quota relative to the seven-day peak, else on half of the frame."""
    most = max(peak, usage.used + usage.lent)
    scale = most + -(-most // 4) if peak else 2 * most
    own, lent = lay_out([usage.own, usage.lent], scale, FRAME) if scale else (NOTHING, NOTHING)
    return replace(
        bar,
        own=own,
        lent=lent,
        seams=seams((own, lent)),
        peak=Segment(max(own.end if peak >= usage.own else 0, peak * FRAME // scale))
        if peak
        else None,
        demand=_demand(usage.demand, scale or usage.demand),
        unlimited=True,
    )


def _without_quota(bar: Bar, usage: CapacityNode) -> Bar:
    """Draw the use of a flavor-resource with nominal quota and limit 0: it fills the frame."""
    borrowed, over = (
        lay_out([usage.borrowed, usage.over], usage.used, FRAME)
        if usage.used
        else (NOTHING, NOTHING)
    )
    return replace(
        bar,
        track=NOTHING,
        borrowed=borrowed,
        over=over,
        seams=seams((borrowed, over)),
        demand=_demand(usage.demand, usage.used or usage.demand),
        blocked=not usage.used,
    )


def _scale(usage: CapacityNode, nominal: int) -> int:
    """
    Return the amount that the length of the frame means.

    In a large cohort, a frame up to the limit would make the queue's own quota too small to see.
    So a distant limit is only a number, and the frame is open.
    """
    held = max(nominal, usage.used)
    far = _FAR * held
    if isinstance(usage.limit, Unlimited) or usage.limit > far > 0:
        return far or 1
    return max(usage.limit, held)


def _demand(amount: int, scale: int) -> Segment:
    """Return the segment of demand outside the frame, on the scale of the bar."""
    if not amount:
        return NOTHING
    return Segment(FRAME, max(_LEAST_DEMAND, min(DEMAND, amount * FRAME // scale)))
