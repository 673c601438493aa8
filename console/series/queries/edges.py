"""Edges: where steps begin, and from where on they are not final yet."""

from __future__ import annotations

from datetime import datetime

from console.orgs.models import Organization
from console.series.models import Sampler, Step
from console.series.readings import FLOOR, LENGTH


def rolled_until(org: Organization) -> datetime | None:
    """Return from which hour on minutes are not rolled up for good; None when none is."""
    return Sampler.objects.filter(pk=org.pk).values_list("rolled_until", flat=True).first()


def ceiling(moment: datetime, step: Step) -> datetime:
    """Return *moment*, or the next edge of *step* behind it."""
    below = FLOOR[step](moment)
    return below if below == moment else below + LENGTH[step]
