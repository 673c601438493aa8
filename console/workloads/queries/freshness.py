"""Freshness of stored usage, counts and reasons: version, and since when they are outdated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models import Engine, Intake

#: How long intake may wait before pages report delayed data: the worker is woken up at once, and
#: again every two seconds.
LATE: Final = timedelta(seconds=15)

_STATE: Final = ("version", "org__active_config__number", "org__active_config__changed_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How current the displayed numbers are."""

    #: Time up to which the numbers are complete; None if they are current.
    as_of: datetime | None = None
    #: Whether there are no numbers yet, because no batch was decided.
    is_unknown: bool = False


CURRENT: Final = Freshness()


def freshness_of(org: Organization) -> Freshness:
    """Return the freshness of the numbers of *org*, in one short query."""
    since = behind_since(org)
    if since is None:
        return CURRENT
    return Freshness(as_of=since, is_unknown=org.engine.settled_at is None)


def behind_since(org: Organization, *, now: datetime | None = None) -> datetime | None:
    """
    Return since when usage, counts and reasons are outdated; None if they are current.

    That is the time of the oldest intake, if it has waited longer than `LATE`.
    """
    oldest = (
        Intake.objects.filter(org=org).order_by("pk").values_list("created_at", flat=True).first()
    )
    return _if_late(oldest, now or timezone.now())


def present_state(org: Organization) -> str:
    """Return a text that changes with every write of the worker and every apply, in one query."""
    version, number, changed_at = Engine.objects.values_list(*_STATE).get(org=org)
    return f"{version}.{number}.{changed_at.timestamp()}"


def present_state_and_age(org: Organization) -> str:
    """Return a text that changes with `present_state` and `behind_since`, in one query as well."""
    oldest = Intake.objects.filter(org=OuterRef("org")).order_by("pk").values("created_at")[:1]
    found = Engine.objects.values_list(*_STATE, Subquery(oldest))
    version, number, changed_at, since = found.get(org=org)
    behind = _if_late(since, timezone.now())
    return f"{version}.{number}.{changed_at.timestamp()}.{behind.timestamp() if behind else ''}"


def _if_late(oldest: datetime | None, now: datetime) -> datetime | None:
    return oldest if oldest is not None and now - oldest > LATE else None
