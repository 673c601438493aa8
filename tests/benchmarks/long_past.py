"""
A long history of ended workloads, created inside a management command.

Rows are copied inside the database, with their decisions and events. The originals become the
oldest rows, and every copy is later than the one before and has larger keys, as if all had been
written in that order.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F, Max, Min, Model
from django.utils import timezone

from console.orgs.models import Organization
from console.retention.partitions.create_ahead import create_ahead
from console.workloads.models import ENDED, Decision, Engine, Event, Workload
from tests.worlds.copies import later

#: Days of the history: fewer than any retention period.
DAYS: Final = 80

#: Each table, and its column with the workload.
_TABLES: Final[Mapping[type[Model], str]] = {
    Workload: "id",
    Decision: "workload_id",
    Event: "workload_id",
}


def grow(slug: str, total: int) -> None:
    """Create *total* ended workloads in *slug*, where all have ended; print the counts as JSON."""
    org = Organization.objects.get(slug=slug)
    rows = Workload.objects.filter(org=org)
    count = rows.count()
    assert 0 < count == rows.filter(state__in=ENDED).count(), "not all have ended"
    copies, rest = divmod(max(0, total - count), count)
    seconds = DAYS * 86_400 // (copies + 2)
    _move_back(org, (copies + 2) * seconds)
    spans = {model: _span(model, org) for model in _TABLES}
    first = rows.aggregate(low=Min("pk"))["low"]
    edge = rows.order_by("pk").values_list("pk", flat=True)
    ends = [first + spans[Workload]] * copies
    if rest:
        ends.append(edge[rest])
    for number, end in enumerate(ends, 1):
        with transaction.atomic():
            for model in _TABLES:
                _copy(model, org, number, number * seconds, (first, end), spans)
            _give_keys()
        if settings.PARTITION_ROWS:
            create_ahead(timezone.now())
    counts = _count(org)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Update the statistics now: the server would do so by itself during the measurement.
            for model in _TABLES:
                cursor.execute(f"VACUUM (ANALYZE) {model._meta.db_table}")
            cursor.execute("CHECKPOINT")
    told = {model.__name__: model._default_manager.filter(org=org).count() for model in _TABLES}
    told |= counts
    sys.stdout.write(json.dumps(told))


def _move_back(org: Organization, seconds: int) -> None:
    by = timedelta(seconds=seconds)
    Workload.objects.filter(org=org).update(
        submitted_at=F("submitted_at") - by,
        admitted_at=F("admitted_at") - by,
        ended_at=F("ended_at") - by,
    )
    for model in (Decision, Event):
        model.objects.filter(org=org).update(created_at=F("created_at") - by)


def _span(model: type[Model], org: Organization) -> int:
    ends = model._default_manager.filter(org=org).aggregate(low=Min("pk"), high=Max("pk"))
    return int(ends["high"] - ends["low"] + 1)


def _copy(
    model: type[Model],
    org: Organization,
    number: int,
    seconds: int,
    workloads: tuple[int, int],
    spans: Mapping[type[Model], int],
) -> None:
    """Insert copy *number* of the rows of the original *workloads*, later by *seconds*."""
    table, about = model._meta.db_table, _TABLES[model]
    columns = [field.column for field in model._meta.concrete_fields]
    moved = _moved()
    changes = {"id": f"t.id + {number * spans[model]}"}
    source = f"{table} AS t"
    if model is Workload:
        changes |= {"uid": _uid(moved("t.submitted_at", seconds)), "name": f"t.name || '-{number}'"}
        changes |= {
            name: moved(f"t.{name}", seconds)
            for name in ("submitted_at", "admitted_at", "ended_at")
        }
    else:
        of = f"t.workload_id + {number * spans[Workload]}"
        changes |= {"workload_id": of, "created_at": moved("t.created_at", seconds)}
        if model is Event:
            source += f" JOIN {Workload._meta.db_table} AS w ON w.id = {of}"
            changes["data"] = _data()
    values = ", ".join(changes.get(name, f't."{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM {source} "  # noqa: S608
            f"WHERE t.org_id = %s AND t.{about} >= %s AND t.{about} < %s ORDER BY t.id",
            [org.pk, *workloads],
        )


def _moved() -> Callable[[str, int], str]:
    """Return an SQL format for the time of a column plus a number of seconds."""
    if connection.vendor == "sqlite":
        return lambda column, seconds: later(column, str(seconds))
    return lambda column, seconds: f"{column} + interval '{seconds} seconds'"


def _uid(submitted: str) -> str:
    """Return the SQL of a new id with the time of the SQL *submitted*, as `new_uid` creates it."""
    if connection.vendor == "sqlite":
        return f"printf('%08x', strftime('%s', {submitted})) || lower(hex(randomblob(6)))"
    return (
        f"lpad(to_hex(extract(epoch FROM {submitted})::bigint), 8, '0')"
        " || substr(md5(random()::text || t.id::text), 1, 12)"
    )


def _data() -> str:
    if connection.vendor == "sqlite":
        return "json_set(t.data, '$.workload', w.uid, '$.name', w.name)"
    return "t.data || jsonb_build_object('workload', w.uid, 'name', w.name)"


def _give_keys() -> None:
    """Advance the key sequences beyond all rows; SQLite does so by itself."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for model in _TABLES:
            table = model._meta.db_table
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, 'id'), max(id)) FROM {table}",  # noqa: S608
                [table],
            )


def _count(org: Organization) -> dict[str, int]:
    """Update the engine's counts of ended workloads, and return them."""
    engine = Engine.objects.get(org=org)
    ended = Workload.objects.filter(org=org).order_by().values_list("state")
    counts = dict(ended.annotate(count=Count("pk")))
    engine.counts |= counts
    engine.save(update_fields=["counts"])
    return counts
