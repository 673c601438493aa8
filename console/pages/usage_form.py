"""What a usage page is asked: which time, which flavor-resource, and which table or file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.engine.ledger import FlavorResource
from console.series.coverage import MINUTE, floor_minute
from console.workloads.queries.filters import QueryReader

#: Times to choose from, up to now.
RANGES: Final[Mapping[str, timedelta]] = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
USUAL: Final = "24h"
TITLES: Final = {"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}

PANELS: Final = ("use", "demand", "workloads", "waits")

#: A clock that is not older than this is simply on its way: that is no gap yet.
_ON_ITS_WAY: Final = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an address asks for."""

    #: One of `RANGES`; empty when *since* or *until* is given.
    range: str
    since: datetime | None
    until: datetime | None
    key: FlavorResource | None
    #: The panel whose table is shown, and the one whose file is asked for; empty: none.
    table: str
    chart: str

    def window(
        self, now: datetime, sampled_until: datetime | None
    ) -> tuple[datetime | None, datetime]:
        """Return from when to when; up to the last sample where that is the newest there can be."""
        last = floor_minute(now) + MINUTE
        if sampled_until is not None and now - sampled_until <= _ON_ITS_WAY:
            last = min(last, sampled_until)
        if self.range:
            return last - RANGES[self.range], last
        return self.since, self.until or last


def read_asked(query: QueryDict) -> Asked:
    """Read an address; raises BadRequest that names every wrong value."""
    reader = QueryReader(query)
    since, until = reader.time("since"), reader.time("until")
    chosen = reader.choice("range", tuple(RANGES))
    flavor, resource = reader.text("flavor"), reader.text("resource")
    table, chart = reader.choice("table", PANELS), reader.choice("chart", PANELS)
    reader.finish()
    return Asked(
        range=chosen or ("" if since or until else USUAL),
        since=since,
        until=until,
        key=(flavor, resource) if flavor and resource else None,
        table=table or "",
        chart=chart or "use",
    )
