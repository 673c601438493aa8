"""What an organization keeps: for how long, how much there is, and what was forgotten last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any, Final

from django.conf import settings
from django.db.models import Manager, OuterRef, QuerySet, Subquery

from console.celery import app
from console.configs.models import ConfigVersion, Draft, ImpactRun
from console.configs.services.sweep_impacts import KEPT as IMPACTS_KEPT
from console.orgs.models import AuditChain, AuditEntry, Organization
from console.retention.models import Forgotten, Kind, Look
from console.series.models import SeriesPoint, Step
from console.webhooks.models import Delivery, Webhook
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    IdempotentAnswer,
    RecordedShape,
    Workload,
)
from console.workloads.queries.history import WINDOW
from console.workloads.services.forget_answers import KEPT as ANSWERS_KEPT

#: Rows that are counted of anything whose number nobody keeps.
MOST: Final = 10_000

#: What the clock calls the job that forgets a kind.
_JOBS: Final[Mapping[Kind, str]] = {
    Kind.EVENTS: "forget events",
    Kind.DECISIONS: "forget workloads",
    Kind.WORKLOADS: "forget workloads",
    Kind.MINUTES: "forget series",
    Kind.HOURS: "forget series",
    Kind.DAYS: "forget series",
    Kind.AUDIT: "seal audit",
    Kind.DELIVERIES: "forget deliveries",
    Kind.IMPACTS: "tidy impacts",
    Kind.SHAPES: "tidy",
    Kind.ANSWERS: "tidy",
    Kind.SESSIONS: "forget sessions",
}

#: Rows with an organization, in the order in which they were written.
_PLAIN: Final[Mapping[Kind, tuple[Manager[Any], str]]] = {
    Kind.EVENTS: (Event.objects, "id"),
    Kind.DECISIONS: (Decision.objects, "id"),
    Kind.IMPACTS: (ImpactRun.objects, "id"),
    Kind.ANSWERS: (IdempotentAnswer.objects, "id"),
    Kind.DRAFTS: (Draft.objects, "updated_at"),
    Kind.VERSIONS: (ConfigVersion.objects, "number"),
}

_SERIES: Final = {Kind.MINUTES: Step.MINUTE, Kind.HOURS: Step.HOUR, Kind.DAYS: Step.DAY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How many rows there are, and when the oldest is from; None when nobody can say."""

    count: int | None
    #: Whether there are more than were counted.
    is_more: bool = False
    oldest: datetime | None = None


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


def keepings_of(org: Organization) -> list[Keeping]:
    """Return everything that *org* keeps; always as many queries, and none that counts far."""
    looks = dict(Look.objects.values_list("kind", "at"))
    found = Forgotten.objects.filter(org=org).values_list("kind", "at", "rows")
    forgotten = {kind: (at, rows) for kind, at, rows in found}
    keepings = []
    for kind, days, setting in _rules():
        at, rows = forgotten.get(kind, (None, 0))
        keepings.append(
            Keeping(
                kind=kind,
                days=days,
                setting=setting,
                rows=_rows(org, kind),
                every=_every(kind) if days else None,
                looked_at=looks.get(kind),
                forgotten_at=at,
                forgotten=rows,
            )
        )
    return keepings


def _rules() -> Iterator[tuple[Kind, int | None, str]]:
    """Yield each kind with how many days it is kept, and what says so."""

    def configured(kind: Kind, name: str) -> tuple[Kind, int | None, str]:
        # 0 keeps for ever.
        return kind, getattr(settings, name) or None, name

    yield configured(Kind.EVENTS, "EVENT_RETENTION_DAYS")
    yield configured(Kind.DECISIONS, "WORKLOAD_RETENTION_DAYS")
    yield configured(Kind.WORKLOADS, "WORKLOAD_RETENTION_DAYS")
    yield configured(Kind.MINUTES, "MINUTE_RETENTION_DAYS")
    yield configured(Kind.HOURS, "HOUR_RETENTION_DAYS")
    yield configured(Kind.DAYS, "DAY_RETENTION_DAYS")
    yield configured(Kind.AUDIT, "AUDIT_RETENTION_DAYS")
    yield configured(Kind.DELIVERIES, "WEBHOOK_RETENTION_DAYS")
    yield Kind.IMPACTS, IMPACTS_KEPT.days, ""
    yield Kind.SHAPES, WINDOW, ""
    yield Kind.ANSWERS, ANSWERS_KEPT.days, ""
    yield Kind.SESSIONS, settings.SESSION_COOKIE_AGE // 86400, ""
    yield Kind.DRAFTS, None, ""
    yield Kind.VERSIONS, None, ""


def _every(kind: Kind) -> int | None:
    name = _JOBS.get(kind)
    return int(app.conf.beat_schedule[name]["schedule"]) if name else None


def _rows(org: Organization, kind: Kind) -> Rows:
    if kind in _PLAIN:
        rows, order = _PLAIN[kind]
        moment = "created_at" if order != "updated_at" else order
        return _counted(rows.filter(org=org), order, moment)
    match kind:
        case Kind.WORKLOADS:
            counts = Engine.objects.values_list("counts", flat=True).filter(pk=org.pk).first() or {}
            oldest = Workload.objects.filter(org=org).order_by("submitted_at")
            first = oldest.values_list("submitted_at", flat=True).first()
            return Rows(count=sum(counts.values()), oldest=first)
        case Kind.MINUTES | Kind.HOURS | Kind.DAYS:
            points = SeriesPoint.objects.filter(org=org, step=_SERIES[kind].value)
            return _counted(points, "start", "start")
        case Kind.AUDIT:
            return _audit(org)
        case Kind.DELIVERIES:
            return _deliveries(org)
        case Kind.SHAPES:
            found = _counted(RecordedShape.objects.filter(org=org), "day", "day")
            return replace(found, oldest=_midnight(found.oldest) if found.oldest else None)
    # Sessions belong to people, who may be in several organizations.
    return Rows(count=None)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _counted(rows: QuerySet[Any], order: str, moment: str) -> Rows:
    """Count *rows* as far as that is cheap; *moment* is when each is from, oldest first."""
    count = rows.order_by()[: MOST + 1].count()
    oldest = rows.order_by(order).values_list(moment, flat=True).first() if moment else None
    return Rows(count=min(count, MOST), is_more=count > MOST, oldest=oldest)


def _deliveries(org: Organization) -> Rows:
    """Return what the logs of all webhooks have, each read from its own end."""
    rows = _counted(Delivery.objects.filter(webhook__org=org), "", "")
    first = Delivery.objects.filter(webhook=OuterRef("pk")).order_by("id").values("created_at")
    oldest = Webhook.objects.filter(org=org).order_by().values_list(Subquery(first[:1]), flat=True)
    found = [moment for moment in oldest if moment is not None]
    return Rows(count=rows.count, is_more=rows.is_more, oldest=min(found, default=None))


def _audit(org: Organization) -> Rows:
    """Return what the chain says of itself: it is numbered without gaps."""
    chain = AuditChain.objects.filter(pk=org.pk).first()
    entries = AuditEntry.objects.filter(org=org)
    unsealed = entries.filter(number=None).order_by()[: MOST + 1].count()
    sealed = chain.number - chain.base_number if chain else 0
    oldest = entries.order_by("id").values_list("created_at", flat=True).first()
    return Rows(count=sealed + unsealed, oldest=oldest)
