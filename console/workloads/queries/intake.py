"""Accepted requests that wait too long to be applied by the engine."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, QuerySet, Subquery

from console.orgs.models import Organization
from console.workloads.models import Intake

#: How long an accepted request may wait for the engine before it is reported.
LATE: Final = timedelta(seconds=30)


def late_since(org: Organization, now: datetime) -> datetime | None:
    """Return when the first request of *org* was accepted, if it waits too long."""
    accepted = _accepted(org).first()
    return accepted if accepted is not None and accepted < now - LATE else None


def late_by_org(now: datetime) -> dict[int, datetime]:
    """
    Return when the first request was accepted, by key of each organization with a late one.

    Without late requests this is a single query. Otherwise it costs one index lookup for each
    organization, independent of the number of waiting requests.
    """
    oldest = Intake.objects.order_by("created_at").values_list("created_at", flat=True).first()
    if oldest is None or oldest >= now - LATE:
        return {}
    first = Subquery(_accepted(OuterRef("pk"))[:1])
    found = Organization.objects.order_by().values_list("pk", first)
    return {org: since for org, since in found if since is not None and since < now - LATE}


def _accepted(org: Organization | OuterRef) -> QuerySet[Intake, datetime]:
    """Return when the requests of *org* were accepted, in the order in which they are applied."""
    return Intake.objects.filter(org=org).order_by("pk").values_list("created_at", flat=True)
