"""
The quota bar: what one flavor-resource of a queue or cohort is made of, drawn and in words.

From the left: used of its own, free, lent; the nominal mark; borrowed, over nominal, and
what may still be borrowed; the limit. What waits is drawn outside the frame, for it holds
nothing. Numbers that contradict each other are not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.wording.words import amount, quantity
from console.pages.presenters.quota_bars.layout import NOTHING, WIDTH, Segment, lay_out, seams
from console.workloads.queries.over_quota import OverQuotaMark
from console.workloads.queries.trust import CURRENT, Freshness

#: The frame, and beyond it room for demand: up to 40 % of the frame, and always as a number.
FRAME = 714
DEMAND = WIDTH - FRAME
WHOLE = Segment(0, FRAME)
#: The least length of demand: its outline has to be seen as one.
_LEAST_DEMAND = 24
#: A limit is drawn when it is at most so many times what is owned or used.
_FAR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Finished lengths and texts."""

    flavor: str
    resource: str
    #: Id of its place on a page.
    anchor: str
    frame: Segment = WHOLE
    #: The quota it owns, as the ground that it is drawn on.
    track: Segment = WHOLE
    own: Segment = NOTHING
    #: Its free quota that is available.
    free: Segment = NOTHING
    #: Its free quota that is not available, because other queues use too much.
    shut: Segment = NOTHING
    #: Its quota in use by others, from the right end of what it owns.
    lent: Segment = NOTHING
    borrowed: Segment = NOTHING
    #: Use beyond nominal quota that is not borrowed.
    over: Segment = NOTHING
    #: What it may still borrow now.
    room: Segment = NOTHING
    #: Where two drawn parts touch.
    seams: tuple[Segment, ...] = ()
    #: Where the nominal quota ends, when that is inside the frame.
    mark: Segment | None = None
    #: Where the limit is, when borrowing ends there.
    limit: Segment | None = None
    #: The most that was used in the last seven days, where there is no limit to measure by.
    peak: Segment | None = None
    demand: Segment = NOTHING
    #: The frame has no end: there is no limit, or none near.
    unlimited: bool = False
    blocked: bool = False
    #: The numbers contradict each other; nothing is drawn.
    broken: bool = False
    #: There are no numbers; the frame is empty.
    unknown: bool = False
    #: The last moment of which the numbers certainly tell; None when that is now.
    as_of: datetime | None = None
    used_text: str = ""
    of_text: str = ""
    note: str = ""
    free_text: str = ""
    demand_text: str = ""
    #: What work asks for that can never run under the active config.
    cannot_run_text: str = ""
    available_text: str = ""
    sentence: str = ""
    #: How tight it is, from 0; for sorting only.
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

    *draining*: the active version has no such queue. *rise*: since when it uses more than it
    owns. *peak*: the most that was used in seven days. *fresh*: how old the numbers are.
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
    told = replace(
        empty,
        used_text=quantity(usage.used, resource),
        of_text=of_text,
        note=", ".join(notes),
        free_text=_free(usage),
        demand_text=demand_text,
        cannot_run_text=cannot_run_text,
        available_text=quantity(usage.available, resource),
        pressure=usage.pressure,
    )
    used = f"{usage.flavor} {resource}: {told.used_text} {of_text}"
    parts = (used, *notes, told.free_text, demand_text, cannot_run_text)
    told = replace(told, sentence=", ".join(part for part in parts if part))
    if not usage.is_consistent:
        return replace(told, broken=True, sentence=f"{told.sentence}: inconsistent numbers")
    return _drawn(told, usage, peak)


def anchor_of(key: FlavorResource) -> str:
    """Return the id of a flavor-resource on the page of a queue or cohort."""
    return f"quota-{'/'.join(key).encode().hex()}"


def up_to(value: Amount, resource: str, is_certain: bool) -> str:
    """
    Return an amount that is attributed by convention, with a word when it could be otherwise.

    >>> up_to(2000, "gpu", True), up_to(2000, "gpu", False)
    ('2', 'up to 2')
    """
    number = quantity(value, resource)
    return number if is_certain else f"up to {number}"


def lending_notes(usage: CapacityNode, rise: OverQuotaMark | None = None) -> list[str]:
    """Return what is borrowed, over nominal and lent, in words; nothing for what is not."""
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
    """Return how *nominal* is divided: used of its own, free, out of reach, and lent."""
    unused = nominal - usage.own - usage.lent
    free = min(unused, usage.available)
    assert isinstance(free, int), "what is unused of a finite quota is finite"
    return usage.own, free, unused - free, usage.lent


def _words(
    usage: CapacityNode, draining: bool, rise: OverQuotaMark | None, peak: int
) -> tuple[str, list[str]]:
    """Return what is used of what, and what else there is to say of it."""
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


def _free(usage: CapacityNode) -> str:
    if isinstance(usage.available, Unlimited) or not usage.available:
        return ""
    word = "free" if usage.limit == usage.guaranteed else "available"
    return f"{quantity(usage.available, usage.resource)} {word}"


def _drawn(bar: Bar, usage: CapacityNode, peak: int) -> Bar:
    """Return *bar* with its drawing; the numbers of *usage* agree."""
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
    # Parts that are drawn longer than they are must not reach beyond the limit.
    place = limit * FRAME // scale
    if limit >= held:
        place = max(place, over.end, room_part.end)
    return replace(shape, limit=Segment(min(place, FRAME)))


def _without_limit(bar: Bar, usage: CapacityNode, peak: int) -> Bar:
    """Draw use and loans beside the peak of seven days; without a peak, on half of the frame."""
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
    """Draw what is used where nothing is owned and nothing may be used: it fills the frame."""
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
    Return what the length of the frame stands for.

    In a large cohort the limit would leave next to nothing of what the queue
    owns; so one that is far away is a number, and the frame has no end.
    """
    held = max(nominal, usage.used)
    far = _FAR * held
    if isinstance(usage.limit, Unlimited) or usage.limit > far > 0:
        return far or 1
    return max(usage.limit, held)


def _demand(amount: int, scale: int) -> Segment:
    """Return what waits, on the scale of the bar, outside its frame."""
    if not amount:
        return NOTHING
    return Segment(FRAME, max(_LEAST_DEMAND, min(DEMAND, amount * FRAME // scale)))
