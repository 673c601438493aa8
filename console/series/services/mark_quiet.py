"""Mark the minutes between the samples of a simulated time, in which nothing changed."""

from __future__ import annotations

from datetime import datetime

from console.chunks import chunks
from console.series.coverage import HOUR, bit_of, floor_hour
from console.series.models import SampledHour


def mark_quiet(org_id: int, since: datetime, until: datetime) -> None:
    """
    Mark every minute from *since* to *until* as sampled: without a row, as the last one before it.

    Each hour needs a sample in its first minute, like those of `sample_org`. A sample is due again
    in the minute of *until*.
    """
    hours, hour = [], floor_hour(since)
    while hour < until:
        minutes = _bits(max(since, hour), min(until, hour + HOUR))
        hours.append(SampledHour(org_id=org_id, start=hour, minutes=minutes))
        hour += HOUR
    for some in chunks(hours):
        SampledHour.objects.bulk_create(
            some, update_conflicts=True, unique_fields=["org", "start"], update_fields=["minutes"]
        )


def _bits(since: datetime, until: datetime) -> int:
    """Return the bits of the minutes of one hour from *since* to *until*, without its minute."""
    end = bit_of(until) if until.minute else 1 << 60
    return end - bit_of(since)
