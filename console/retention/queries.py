"""What an organization keeps: for how long, how much there is, and what was forgotten last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from console.celery import app
from console.retention.models import Forgotten, Kind, Look
from console.retention.registry import Rows, registered


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """One kind of thing: how long it is kept, and how much there is."""

    kind: Kind
    #: How long, in days; None without end.
    days: int | None
    #: The environment variable that says so; empty when none does.
    setting: str
    rows: Rows
    #: How often it is looked through, in seconds, and when it was last; None when never.
    every: int | None
    looked_at: datetime | None
    forgotten_at: datetime | None
    forgotten: int


def keepings_of(org_id: int) -> list[Keeping]:
    """
    Return everything that an organization keeps, in the order of `Kind`.

    The number of queries is always the same, and none of them counts far.
    """
    looks = dict(Look.objects.values_list("kind", "at"))
    found = Forgotten.objects.filter(org=org_id).values_list("kind", "at", "rows")
    forgotten = {kind: (at, rows) for kind, at, rows in found}
    keepings = []
    for each in registered():
        at, rows = forgotten.get(each.kind, (None, 0))
        keepings.append(
            Keeping(
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
