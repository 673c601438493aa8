"""The retention of an organization: periods, numbers of rows, and last deletions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.celery import app
from console.retention.models import Forgotten, Kind, Look
from console.retention.registry import Rows, registered


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionStatus:
    """One kind of rows: retention period and number of rows."""

    kind: Kind
    #: Retention period in days; None if unlimited.
    days: int | None
    #: The environment variable that sets it; empty if it is fixed.
    setting: str
    rows: Rows
    #: Interval between checks in seconds, and time of the last check; None if there was none.
    every: int | None
    looked_at: datetime | None
    forgotten_at: datetime | None
    forgotten: int


def retention_statuses_of(org_id: int) -> list[RetentionStatus]:
    """
    Return the retention of all kinds of rows of an organization, in the order of `Kind`.

    The number of queries is constant, and each counts rows up to a limit.
    """
    looks = dict(Look.objects.values_list("kind", "at"))
    found = Forgotten.objects.filter(org=org_id).values_list("kind", "at", "rows")
    forgotten = {kind: (at, rows) for kind, at, rows in found}
    keepings = []
    for each in registered():
        at, rows = forgotten.get(each.kind, (None, 0))
        keepings.append(
            RetentionStatus(
                kind=each.kind,
                days=each.days,
                setting=each.setting,
                rows=each.rows(org_id),
                every=_every(each.job) if each.days else None,
                looked_at=looks.get(each.kind),
                forgotten_at=at,
                forgotten=rows,
            )
        )
    return keepings


def _every(job: str) -> int | None:
    return int(app.conf.beat_schedule[job]["schedule"]) if job else None
