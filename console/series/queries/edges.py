"""Starts of steps, and the time from which steps are not final."""

from __future__ import annotations

from datetime import datetime

from console.orgs.models import Organization
from console.series.models import Sampler, Step
from console.series.readings import FLOOR, LENGTH


def rolled_until(org: Organization) -> datetime | None:
    """Return the first hour that is not final; None before the first roll-up."""
    return Sampler.objects.filter(pk=org.pk).values_list("rolled_until", flat=True).first()


def ceiling(moment: datetime, step: Step) -> datetime:
    """Return *moment*, rounded up to the start of a *step*."""
    below = FLOOR[step](moment)
    return below if below == moment else below + LENGTH[step]
