"""What a list of workloads may be narrowed to, read from a query string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.http import QueryDict

from console.engine.model.reasons import ReasonClass, registered_reasons
from console.orgs.models import Organization
from console.reading import QueryReader
from console.workloads.models import PendingClass, State, Workload

#: What a workload may be.
TYPES = ("job", "service", "workspace")

#: Classes of reasons that a list is narrowed to.
REASON_CLASSES = tuple(str(each) for each in ReasonClass if each is not ReasonClass.UNKNOWN)

#: What a workload may lack.
LACKING = ("queue", "flavor", "user", "project", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFilter:
    """Conditions on workloads; None and empty leave that side open."""

    state: str | None = None
    queue: str | None = None
    reason: str | None = None
    #: One of `REASON_CLASSES`.
    reason_class: str | None = None
    user: str | None = None
    project: str | None = None
    type: str | None = None
    #: One that it holds, or held when it ended.
    flavor: str | None = None
    #: One of `LACKING`, of which it has none.
    without: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    #: A whole id, or the beginning of a name.
    q: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def from_query(cls, query: QueryDict, org: Organization | None = None) -> WorkloadFilter:
        """
        Read the filters of a query string; raises BadRequest that names every wrong value.

        Reasons of a scheduler that is no longer installed are read where rows of *org* have them.
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
            since=reader.time("since"),
            until=reader.time("until"),
        )
        reader.finish()
        return found


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
