"""What a usage page is asked: which time, which flavor-resource, and which table or file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict

from console.engine.model.amounts import FlavorResource
from console.reading import QueryReader
from console.series.coverage import MINUTE, floor_minute

#: Times to choose from, up to now.
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
#: What stands for the tables of all of them.
ALL: Final = "all"

#: A clock that is not older than this is simply on its way: that is no gap yet.
_ON_ITS_WAY: Final = timedelta(minutes=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an address asks for."""

    #: One of `RANGES`; empty when *since* or *until* is given, or nothing is asked for.
    range: str
    #: Whether the range was chosen by how much there is to see.
    is_by_age: bool = False
    since: datetime | None
    until: datetime | None
    key: FlavorResource | None
    #: The panel whose table is shown, or `ALL`, and the one whose file is; empty: none.
    table: str
    chart: str

    def settled(self, begun: datetime | None, now: datetime) -> Asked:
        """Return it with a range where none is asked for: no longer than there were samples."""
        if self.range or self.since or self.until:
            return self
        age = now - begun if begun else timedelta(0)
        fits = (name for name in RANGES if age <= RANGES[name] or name == USUAL)
        name = next(fits)
        return replace(self, range=name, is_by_age=name != USUAL)

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
    table, chart = reader.choice("table", (*PANELS, ALL)), reader.choice("chart", PANELS)
    reader.finish()
    return Asked(
        range=chosen or "",
        since=since,
        until=until,
        key=(flavor, resource) if flavor and resource else None,
        table=table or "",
        chart=chart or "use",
    )
