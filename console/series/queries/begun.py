"""The start of sampling; times before it are not gaps."""

from __future__ import annotations

from datetime import datetime

from console.orgs.models import Organization
from console.series.coverage import MINUTE
from console.series.models import SampledDay, SampledHour


def sampled_since(org: Organization) -> datetime | None:
    """Return the first stored sample minute of *org*; for old days, the start of the day."""
    hours = SampledHour.objects.filter(org=org, minutes__gt=0).order_by("start")
    days = SampledDay.objects.filter(org=org).order_by("start")
    hour = hours.values_list("start", "minutes").first()
    day = days.values_list("start", flat=True).first()
    if hour is None:
        return day
    start, minutes = hour
    # The lowest bit is the first minute.
    first = start + ((minutes & -minutes).bit_length() - 1) * MINUTE
    return day if day is not None and day.date() < first.date() else first
