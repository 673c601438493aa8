"""Edges: where steps begin, and from where on they are not final yet."""

from __future__ import annotations

from datetime import datetime

from console.series.models import (
    RollUp,
    Step,
)
from console.series.readings import FLOOR, LENGTH


def rolled_until() -> datetime | None:
    """Return from which hour on minutes are not rolled up for good; None when none is."""
    return RollUp.objects.values_list("until", flat=True).first()


def ceiling(moment: datetime, step: Step) -> datetime:
    """Return *moment*, or the next edge of *step* behind it."""
    below = FLOOR[step](moment)
    return below if below == moment else below + LENGTH[step]
