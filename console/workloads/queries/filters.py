"""Filters of the workload list, parsed from a query string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.http import QueryDict

from console.engine.model.reasons import ReasonClass, registered_reasons
from console.orgs.models import Organization
from console.reading import QueryReader
from console.workloads.models import PendingClass, State, Workload

#: Types of workloads.
TYPES = ("job", "service", "workspace")

#: Values of the filter by reason class.
REASON_CLASSES = tuple(str(each) for each in ReasonClass if each is not ReasonClass.UNKNOWN)

#: Values of the filter by a missing fact.
LACKING = ("queue", "flavor", "user", "project", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFilter:
    """Conditions on workloads; None and empty values match all workloads."""

    state: str | None = None
    queue: str | None = None
    reason: str | None = None
    #: One of `REASON_CLASSES`.
    reason_class: str | None = None
    user: str | None = None
    project: str | None = None
    type: str | None = None
    #: A flavor in its assignment, or in its last one if it has ended.
    flavor: str | None = None
    #: One of `LACKING`; the workload has none of that.
    without: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    #: A complete id, or a prefix of the name.
    q: str | None = None
    #: The least and the largest priority; None: open.
    priority: tuple[int | None, int | None] | None = None
    since: datetime | None = None
    until: datetime | None = None
    #: Submitted before, or within this span of time until now.
    older: timedelta | None = None
    newer: timedelta | None = None

    @classmethod
    def from_query(cls, query: QueryDict, org: Organization | None = None) -> WorkloadFilter:
        """
        Return the filters of a query string; raises BadRequest with every wrong value.

        Reasons of a scheduler that is no longer installed are valid if rows of *org* have them.
        """
        reader = QueryReader(query)
        found = cls(
            state=reader.choice("state", State.values),
            queue=reader.text("queue"),
            reason=read_reason(reader, org),
            reason_class=reader.choice("reason_class", REASON_CLASSES),
            user=reader.text("user"),
            project=reader.text("project"),
            type=reader.choice("type", TYPES),
            flavor=reader.text("flavor"),
            without=reader.choice("without", LACKING),
            labels=reader.labels(),
            q=reader.text("q"),
            priority=reader.bounds("priority"),
            since=reader.time("since"),
            until=reader.time("until"),
            older=reader.span("older"),
            newer=reader.span("newer"),
        )
        reader.finish()
        return found

    def at(self, now: datetime) -> WorkloadFilter:
        """Return the same filters with times instead of the spans until *now*."""
        since, until = self.since, self.until
        if self.newer is not None:
            since = max(now - self.newer, since or now - self.newer)
        if self.older is not None:
            until = min(now - self.older, until or now - self.older)
        return replace(self, since=since, until=until, older=None, newer=None)


def read_reason(reader: QueryReader, org: Organization | None) -> str | None:
    """Return the requested reason: a registered one, or one in a row of *org*."""
    code = reader.text("reason")
    known: list[str] = list(registered_reasons())
    if code is not None and code not in known and org is not None and _is_stored(org, code):
        return code
    return reader.choice("reason", known)


def _is_stored(org: Organization, code: str) -> bool:
    return (
        Workload.objects.filter(org=org, reason=code).exists()
        or PendingClass.objects.filter(org=org, reason=code).exists()
    )
