"""The quota bar: the geometry and the sentence for one flavor-resource of a queue."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.amounts import Unlimited, format_amount
from console.workloads.queries import UsageView

#: The drawing is 1000 units wide: the frame, and room for demand beyond it.
FRAME = 714
#: Demand beyond the frame is drawn to scale up to 40 % of the frame, and always as a number.
DEMAND = 286


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Finished lengths and texts; a length of 0 is not drawn."""

    flavor: str
    resource: str
    frame: int = FRAME
    own: int = 0
    #: In use beyond the nominal quota.
    over: int = 0
    over_x: int = 0
    #: Where the nominal quota ends, when that is inside the frame.
    mark: int = 0
    demand: int = 0
    demand_x: int = FRAME
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
    demand_text = f"wants {format_amount(usage.demand)} more" if usage.demand else ""
    if isinstance(usage.nominal, Unlimited):
        # Without a limit there is no full length: half a frame stands for what is used.
        shape = {"own": FRAME // 2 if used else 0, "unlimited": True}
        of_text, note, pressure = f"{resource} used, no limit", "", 0.0
    elif usage.nominal == 0:
        shape = {"over": FRAME - 2, "over_x": 1} if used else {"blocked": True}
        of_text = f"{resource} used of 0"
        note = "draining" if draining and used else "over nominal" if used else "blocked"
        pressure = 2.0 if used or usage.demand else 0.0
    else:
        scale = max(usage.nominal, used)
        own = min(used, usage.nominal)
        over = used - own
        shape = {
            "own": _length(own, scale, FRAME - 2),
            "over": _length(over, scale, FRAME - 2),
            "over_x": 1 + _length(own, scale, FRAME - 2) + 2,
            "mark": _length(usage.nominal, scale, FRAME) if over else 0,
        }
        of_text = f"of {format_amount(usage.nominal)} {resource} used"
        note = f"{format_amount(over)} over nominal" if over else ""
        pressure = (used + usage.demand) / usage.nominal
    if usage.demand and not isinstance(usage.nominal, Unlimited):
        whole = usage.nominal or usage.demand
        shape |= {"demand": max(12, min(DEMAND, _length(usage.demand, whole, FRAME)))}
    sentence = ", ".join(
        part
        for part in (
            f"{usage.flavor} {resource}: {format_amount(used)} {of_text}",
            note,
            f"{format_amount(usage.available)} free"
            if not isinstance(usage.available, Unlimited) and usage.available
            else "",
            demand_text,
        )
        if part
    )
    return Bar(
        flavor=usage.flavor,
        resource=resource,
        broken=used < 0 or usage.demand < 0,
        used_text=format_amount(used),
        of_text=of_text,
        note=note,
        demand_text=demand_text,
        available_text=format_amount(usage.available),
        sentence=sentence,
        pressure=pressure,
        **shape,  # type: ignore[arg-type]
    )


def _length(part: int, whole: int, of: int) -> int:
    if not part or not whole:
        return 0
    return max(3, part * of // whole)
