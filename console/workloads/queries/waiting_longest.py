"""Query of the pending workloads that have waited longest, of those that can run."""

from __future__ import annotations

from typing import Final

from console.engine.model.reasons import reason_of
from console.orgs.models import Organization
from console.time_formats import milliseconds
from console.workloads.models import PendingClass, State, Workload
from console.workloads.queries.workloads import with_list_columns

#: Number of the oldest pending workloads among which they are found.
LOOKED_AT: Final = 1000


def waiting_longest(org: Organization, most: int) -> list[Workload]:
    """
    Return at most *most* pending workloads, the longest wait first, with the columns of lists.

    A preempted workload waits since it became pending again.

    Deactivated workloads, and those that can never run, wait longer than all others, so they are
    left out. Behind the oldest `LOOKED_AT` pending workloads none is found, so that the costs stay
    bounded.
    """
    oldest = Workload.objects.filter(org=org, state=State.PENDING).order_by("pk")
    columns = ("pk", "pending_class", "reason", "submitted_at", "pending_since")
    looked_at = list(oldest.values_list(*columns)[:LOOKED_AT])
    keys = {key for _, key, *_ in looked_at if key is not None}
    classes = PendingClass.objects.filter(org=org, key__in=list(keys))
    reasons = dict(classes.values_list("key", "reason"))
    # By the time since which each waits, then in the order of submission.
    found = sorted(
        (milliseconds(submitted_at) if since is None else since, pk)
        for pk, key, reason, submitted_at, since in looked_at
        if reason_of(reasons.get(key or "", reason)).has_position
    )
    places = {pk: place for place, (_, pk) in enumerate(found[:most])}
    rows = Workload.objects.filter(org=org, pk__in=list(places)).order_by()
    return sorted(with_list_columns(rows), key=lambda row: places[row.pk])
