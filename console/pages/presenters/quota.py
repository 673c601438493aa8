"""The quota bar: the geometry and the sentence for one flavor-resource of a queue or cohort."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.amounts import Amount, Unlimited
from console.engine.words import quantity
from console.workloads.queries import UsageView

#: The drawing is 1000 units wide: the frame, and room for demand beyond it.
FRAME = 714
#: Demand beyond the frame is drawn to scale up to 40 % of the frame, and always as a number.
DEMAND = 286
#: A limit is drawn when it is at most so many times what is owned or used.
_FAR = 3
#: Space between two segments, and the least width of one.
_GAP = 2
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the bar; a width of 0 is not drawn."""

    x: int = 0
    width: int = 0


NOTHING = Segment()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Finished lengths and texts."""

    flavor: str
    resource: str
    frame: int = FRAME
    #: The quota it owns, as the ground that it is drawn on.
    track: int = FRAME
    own: Segment = NOTHING
    #: Its quota in use by others, from the right end of what it owns.
    lent: Segment = NOTHING
    borrowed: Segment = NOTHING
    #: In use beyond the nominal quota, and borrowed from nobody.
    over: Segment = NOTHING
    #: What it may still borrow now.
    room: Segment = NOTHING
    #: Where the nominal quota ends, when that is inside the frame.
    mark: int = 0
    #: Where the limit is, when borrowing ends there.
    limit: int = 0
    demand: int = 0
    demand_x: int = FRAME
    #: The frame has no end: there is no limit, or none near.
    unlimited: bool = False
    blocked: bool = False
    #: The numbers contradict each other; nothing is drawn.
    broken: bool = False
    used_text: str = ""
    of_text: str = ""
    note: str = ""
    demand_text: str = ""
    available_text: str = ""
    sentence: str = ""
    #: How tight it is, from 0; for sorting only.
    pressure: float = 0.0


def bar_of(usage: UsageView, *, draining: bool = False) -> Bar:
    """Return the bar of one flavor-resource; *draining*: the active version has no such queue."""
    used, resource = usage.used, usage.resource
    demand_text = f"wants {quantity(usage.demand, resource)} more" if usage.demand else ""
    notes = lending_notes(usage)
    if usage.limit not in (usage.nominal, 0):
        notes.append(f"limit {quantity(usage.limit, resource)}")
    shape: dict[str, object]
    scale = 0
    if isinstance(usage.nominal, Unlimited):
        # Without a limit there is no full length: half a frame stands for what is used.
        shape = {"own": Segment(1, FRAME // 2) if used else NOTHING, "unlimited": True}
        of_text, pressure = f"{resource} used, no limit", 0.0
    elif usage.nominal == 0 and usage.limit == 0:
        # Without a limit to measure against, the whole frame is what is used.
        shape = {
            "borrowed": segment(0, usage.borrowed, used, FRAME - 2),
            "over": segment(usage.borrowed, usage.over, used, FRAME - 2),
            "blocked": not used,
        }
        of_text = f"{resource} used of 0"
        if not usage.borrowed:
            notes = ["draining" if draining and used else "over nominal" if used else "blocked"]
        pressure = 2.0 if used or usage.demand else 0.0
    else:
        scale = _scale(usage, usage.nominal)
        shape = _shape(usage, usage.nominal, scale)
        of_text = f"of {quantity(usage.nominal, resource)} {resource} used"
        pressure = _pressure(usage)
    if usage.demand and not isinstance(usage.nominal, Unlimited):
        whole_length = scale or usage.demand
        shape |= {"demand": max(12, min(DEMAND, usage.demand * FRAME // whole_length))}
    sentence = ", ".join(
        part
        for part in (
            f"{usage.flavor} {resource}: {quantity(used, resource)} {of_text}",
            *notes,
            _free(usage),
            demand_text,
        )
        if part
    )
    return Bar(
        flavor=usage.flavor,
        resource=resource,
        broken=not _agree(usage),
        used_text=quantity(used, resource),
        of_text=of_text,
        note=", ".join(notes),
        demand_text=demand_text,
        available_text=quantity(usage.available, resource),
        sentence=sentence,
        pressure=pressure,
        **shape,  # type: ignore[arg-type]
    )


def up_to(amount: Amount, resource: str, is_certain: bool) -> str:
    """
    Return an amount that is attributed by convention, with a word when it could be otherwise.

    >>> up_to(2000, "gpu", True), up_to(2000, "gpu", False)
    ('2', 'up to 2')
    """
    number = quantity(amount, resource)
    return number if is_certain else f"up to {number}"


def segment(start: int, amount: int, scale: int, width: int) -> Segment:
    """Return where *amount* from *start* lies on a scale that is *width* long, and ends there."""
    if not amount:
        return NOTHING
    begin, end = start * width // scale, min((start + amount) * width // scale, width)
    begin += _GAP if start else 0
    length = max(_LEAST, end - begin)
    return Segment(1 + min(begin, width - length), length)


def _scale(usage: UsageView, nominal: int) -> int:
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


def _shape(usage: UsageView, nominal: int, scale: int) -> dict[str, object]:
    used, limit = usage.used, usage.limit
    held = max(nominal, used)
    inner = FRAME - 2
    reach = used + usage.available if isinstance(usage.available, int) else scale
    shape: dict[str, object] = {
        "own": segment(0, usage.own, scale, inner),
        "lent": segment(nominal - usage.lent, usage.lent, scale, inner),
        "borrowed": segment(usage.own, usage.borrowed, scale, inner),
        "over": segment(usage.own + usage.borrowed, usage.over, scale, inner),
        "room": segment(held, max(0, min(reach, scale) - held), scale, inner),
    }
    if scale > nominal:
        shape |= {"mark": max(1, nominal * FRAME // scale), "track": nominal * FRAME // scale}
    if isinstance(limit, Unlimited) or limit > scale:
        shape |= {"unlimited": True}
    elif limit != nominal:
        shape |= {"limit": limit * FRAME // scale}
    return shape


def lending_notes(usage: UsageView) -> list[str]:
    """Return what is borrowed, over nominal and lent, in words; nothing for what is not."""
    resource = usage.resource
    notes = []
    if usage.borrowed:
        notes.append(f"{quantity(usage.borrowed, resource)} borrowed")
    if usage.over:
        notes.append(f"{quantity(usage.over, resource)} over nominal")
    if usage.lent:
        notes.append(f"{up_to(usage.lent, resource, usage.is_certain)} lent")
    return notes


def _free(usage: UsageView) -> str:
    if isinstance(usage.available, Unlimited) or not usage.available:
        return ""
    word = "free" if usage.limit == usage.nominal else "available"
    return f"{quantity(usage.available, usage.resource)} {word}"


def _pressure(usage: UsageView) -> float:
    wanted = usage.used + usage.demand
    if usage.limit == usage.nominal and isinstance(usage.nominal, int):
        return wanted / usage.nominal
    if isinstance(usage.available, Unlimited):
        return 0.0
    within_reach = usage.used + usage.available
    return wanted / within_reach if within_reach else 2.0 if wanted else 0.0


def _agree(usage: UsageView) -> bool:
    """Say whether the numbers keep the identities of quota: see `console.engine.lending`."""
    parts = (usage.own, usage.borrowed, usage.over, usage.lent, usage.demand)
    return (
        min(parts) >= 0
        and not (usage.borrowed and usage.lent)
        and usage.own + usage.lent <= usage.nominal
    )
