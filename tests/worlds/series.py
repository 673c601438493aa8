"""History for charts: 48 hours of all series, and 30 days of the example series."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from console.orgs.models import Organization
from console.series.coverage import HOUR, floor_hour
from console.series.models import SampledHour, Sampler, SeriesPoint, Step
from tests.benchmarks.past import points_at
from tests.worlds.copies import copy_rows

#: Hours of every series, and hours of the example objects' and the organization's series.
_ALL, _EXAMPLES = 48, 30 * 24

_SHOWN: Final = "name IN ('', 'team-7', 'lab-7')"


def copy_series(org: Organization) -> None:
    """Write the points of all complete hours as the samplers would have written them."""
    last = floor_hour(timezone.now()) - HOUR
    SeriesPoint.objects.bulk_create(points_at(org, last))
    hours = [last - n * HOUR for n in range(_EXAMPLES)]
    SampledHour.objects.bulk_create(
        SampledHour(org=org, start=hour, minutes=2**60 - 1) for hour in hours
    )
    earlier = {"start": "strftime('%Y-%m-%d %H:%M:%S', start, '-' || k || ' hours')"}
    newest = (
        f"org_id = {org.pk} AND step = '{Step.HOUR.value}' AND start = '{last:%Y-%m-%d %H:%M:%S}'"
    )
    copy_rows(SeriesPoint, newest, _ALL - 1, earlier)
    copy_rows(SeriesPoint, f"{newest} AND {_SHOWN}", _EXAMPLES - _ALL, earlier, first=_ALL)
    Sampler.objects.update_or_create(org=org, defaults={"rolled_until": last + HOUR})
