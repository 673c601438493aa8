"""Query parameters of the usage pages: time range, flavor-resource, table and chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.engine.model.amounts import FlavorResource
from console.reading import QueryReader
from console.series.coverage import MINUTE, floor_minute

#: Time ranges to choose from; each ends now.
RANGES: Final[Mapping[str, timedelta]] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
USUAL: Final = "24h"
TITLES: Final = {
    "1h": "1 hour",
    "6h": "6 hours",
    "24h": "24 hours",
    "7d": "7 days",
    "30d": "30 days",
}

PANELS: Final = ("use", "demand", "workloads", "waits")
#: Parameter value for the tables of all panels.
ALL: Final = "all"

#: Maximum age of the last sample that is no gap yet: the next sample is due.
_SAMPLE_DELAY: Final = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageQuery:
    """The parameters of an address."""

    #: One of `RANGES`; empty if *since* or *until* is given, or neither a range.
    range: str
    #: Whether the range was chosen from the age of the first sample.
    is_by_age: bool = False
    since: datetime | None
    until: datetime | None
    key: FlavorResource | None
    #: The panel whose table is shown, or `ALL`; empty: none.
    table: str
    #: The panel that an export contains.
    chart: str

    def with_default_range(self, begun: datetime | None, now: datetime) -> UsageQuery:
        """Return the query with a default range: the shortest one with all samples, or `USUAL`."""
        if self.range or self.since or self.until:
            return self
        age = now - begun if begun else timedelta(0)
        fits = (name for name in RANGES if age <= RANGES[name] or name == USUAL)
        name = next(fits)
        return replace(self, range=name, is_by_age=name != USUAL)

    def window(
        self, now: datetime, sampled_until: datetime | None
    ) -> tuple[datetime | None, datetime]:
        """Return start and end; the end is the last sample if no newer one can exist yet."""
        last = floor_minute(now) + MINUTE
        if sampled_until is not None and now - sampled_until <= _SAMPLE_DELAY:
            last = min(last, sampled_until)
        if self.range:
            return last - RANGES[self.range], last
        return self.since, self.until or last


def read_usage_query(query: QueryDict) -> UsageQuery:
    """Return the parameters in *query*; raise BadRequest with every invalid value."""
    reader = QueryReader(query)
    since, until = reader.time("since"), reader.time("until")
    chosen = reader.choice("range", tuple(RANGES))
    flavor, resource = reader.text("flavor"), reader.text("resource")
    table, chart = reader.choice("table", (*PANELS, ALL)), reader.choice("chart", PANELS)
    reader.finish()
    return UsageQuery(
        range=chosen or "",
        since=since,
        until=until,
        key=(flavor, resource) if flavor and resource else None,
        table=table or "",
        chart=chart or "use",
    )
