"""Search by name for queues, cohorts, clusters, workloads and versions of an organization."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from console.capacity.queries.clusters import clusters_of
from console.orgs.models import Organization
from console.policies.models import ConfigVersion
from console.policies.queries import active_policy, versions
from console.workloads.models import Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import list_workloads

_NUMBER = re.compile(r"v?(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMatches:
    """Search results, best first; names that begin with the text come before others."""

    queues: tuple[str, ...] = ()
    cohorts: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    workloads: tuple[Workload, ...] = ()
    version: ConfigVersion | None = None


def search_names(org: Organization, text: str, limit: int) -> NameMatches:
    """
    Return up to *limit* results of each kind for *text*; none for an empty text.

    Queues and cohorts of the active version, and clusters, match by a part of their name,
    workloads by their id or a prefix of their name, and versions by number.
    """
    if not text:
        return NameMatches()
    policy = active_policy(org)
    number = _NUMBER.fullmatch(text)
    numbered = versions(org).defer("text").filter(number=int(number[1])) if number else None
    return NameMatches(
        queues=_called(policy.queues, text, limit),
        cohorts=_called(policy.spec.parents, text, limit),
        clusters=_called(clusters_of(org).values_list("name", flat=True), text, limit),
        workloads=tuple(list_workloads(org, WorkloadFilter(q=text), limit).results),
        version=numbered.first() if numbered is not None else None,
    )


def _called(names: Iterable[str], text: str, limit: int) -> tuple[str, ...]:
    part = text.casefold()
    found = [name for name in names if part in name.casefold()]
    found.sort(key=lambda name: (not name.casefold().startswith(part), name))
    return tuple(found[:limit])
