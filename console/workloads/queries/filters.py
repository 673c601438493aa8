"""What a list of workloads may be narrowed to, read from a query string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.http import QueryDict

from console.engine.model.decision import Reason
from console.reading import QueryReader
from console.workloads.models import State

#: What a workload may be.
TYPES = ("job", "service", "workspace")

#: What a workload may lack.
LACKING = ("queue", "flavor", "user", "project", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFilter:
    """Conditions on workloads; None and empty leave that side open."""

    state: str | None = None
    queue: str | None = None
    reason: str | None = None
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
    def from_query(cls, query: QueryDict) -> WorkloadFilter:
        """Read the filters of a query string; raises BadRequest that names every wrong value."""
        reader = QueryReader(query)
        found = cls(
            state=reader.choice("state", State.values),
            queue=reader.text("queue"),
            reason=reader.choice("reason", [reason.value for reason in Reason]),
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
