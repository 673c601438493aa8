"""Attention items about clusters that accept no pods while workloads run there."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Exists, OuterRef, Q

from console.capacity.models import ClusterState
from console.capacity.queries.clusters import clusters_of
from console.orgs.models import Organization
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.workloads.models import NodeUsage


def capacity_items(org: Organization) -> Iterator[Item]:
    """Yield the item about silent and failed clusters with workloads; draining is intended."""
    has_workloads = NodeUsage.objects.filter(org=org, cluster=OuterRef("name"))
    is_away = Q(is_silent=True) | Q(state=ClusterState.ERROR)
    rows = clusters_of(org).filter(is_away, Exists(has_workloads))
    found = list(rows[: MOST_SUBJECTS + 1])
    if not found:
        return
    shown = found[:MOST_SUBJECTS]
    silent = [each.last_seen for each in found if each.is_silent]
    yield Item(
        kind=Kind.CLUSTER_AWAY,
        count=len(shown),
        is_exact=len(found) <= MOST_SUBJECTS,
        since=min(silent, default=None),
        subjects=tuple(
            Subject(
                name=each.name,
                note=each.status,
                since=each.last_seen if each.is_silent else None,
            )
            for each in shown
        ),
    )
