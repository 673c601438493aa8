"""History of ended workloads: copies of their rows, spread over the last month."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Max, Min, Model
from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Decision, Engine, Event, RecordedShape, Workload
from tests.worlds.copies import copy_rows, later

DAYS: Final = 29

#: Minutes from the submission of a copied workload to its admission, and to its end.
_STARTED, _ENDED = 2, 90


def copy_ended_workloads(org: Organization, total: int, count: int) -> None:
    """
    Copy the *count* ended workloads of *org*, with decisions and events, until there are *total*.

    Copies get their own ids, names, users and projects. They are inserted in order of time, so
    that keys grow with time. *org* must have no other workloads yet.
    """
    workloads = Workload.objects.filter(org=org)
    assert workloads.count() == count, "there is other work already"
    copies, rest = divmod(total, count)
    assert workloads.filter(ended_at=None).count() == 0, "some are not over"
    begin = timezone.now() - timedelta(days=DAYS)
    _move_back(org, begin)
    seconds = DAYS * 86_400 // (copies + 1)
    spans = {model: _span(model, org) for model in (Workload, Decision, Event)}
    _copy(org, spans, copies - 1, seconds, 1, None)
    if rest:
        _copy(org, spans, 1, seconds, copies, rest)
    _count(org)
    _repeat_shapes(org, copies)


def _move_back(org: Organization, begin: datetime) -> None:
    started, ended = (begin + timedelta(minutes=each) for each in (_STARTED, _ENDED))
    rows = Workload.objects.filter(org=org)
    rows.update(submitted_at=begin, ended_at=ended)
    rows.filter(admitted_at__isnull=False).update(admitted_at=started)
    rows.filter(admitted_at=None).update(ended_at=started)
    Decision.objects.filter(org=org).update(created_at=started)
    events = Event.objects.filter(org=org, workload__isnull=False)
    events.update(created_at=started)
    events.filter(type="REQUEST_SUBMITTED").update(created_at=begin)
    events.filter(type="REQUEST_FULFILLED").update(created_at=ended)


def _copy(
    org: Organization,
    spans: Mapping[type[Model], int],
    times: int,
    seconds: int,
    first: int,
    most: int | None,
) -> None:
    """Insert copies number *first* and on of the oldest *most* workloads, or of all if None."""
    span = spans[Workload]
    low = Workload.objects.filter(org=org).aggregate(low=Min("pk"))["low"]
    # Restricts copying to the originals: copies have larger keys.
    originals = f"org_id = {org.pk} AND {{key}} < {low + (most or span)}"
    name = "{name} || '-' || k"
    later_by = f"k * {seconds}"
    copy_rows(
        Workload,
        originals.format(key="id"),
        times,
        {
            "uid": "lower(hex(randomblob(10)))",
            "name": name.format(name="name"),
            "user": "'user-' || ((id + k) % 50)",
            "project": "'project-' || ((id + k) % 11)",
            "submitted_at": later("submitted_at", later_by),
            "admitted_at": later("admitted_at", later_by),
            "ended_at": later("ended_at", later_by),
        },
        first=first,
        span=span,
    )
    copied = f"w.id = workload_id + k * {span}"
    copied_uid = f"(SELECT uid FROM workloads_workload w WHERE {copied})"  # noqa: S608
    copied_name = name.format(name="(data ->> '$.name')")
    for model, changes in (
        (Decision, {}),
        (
            Event,
            {"data": f"json_set(data, '$.workload', {copied_uid}, '$.name', {copied_name})"},
        ),
    ):
        copy_rows(
            model,
            originals.format(key="workload_id"),
            times,
            {
                "workload_id": f"workload_id + k * {span}",
                "created_at": later("created_at", later_by),
                **changes,
            },
            first=first,
            span=spans[model],
        )


def _span(model: type[Model], org: Organization) -> int:
    ends = model._default_manager.filter(org=org).aggregate(low=Min("pk"), high=Max("pk"))
    return ends["high"] - ends["low"] + 1


def _count(org: Organization) -> None:
    """Set the engine's counters of ended workloads, which it normally updates as they end."""
    engine = Engine.objects.get(org=org)
    for state in ("finished", "rejected"):
        engine.counts[state] = Workload.objects.filter(org=org, state=state).count()
    engine.save(update_fields=["counts"])


def _repeat_shapes(org: Organization, copies: int) -> None:
    """Copy the shapes recorded today to each day of the history."""
    a_day = max(1, copies // DAYS)
    RecordedShape.objects.filter(org=org).update(runs=F("runs") * a_day)
    copy_rows(RecordedShape, f"org_id = {org.pk}", DAYS, {"day": "date(day, '-' || k || ' days')"})
