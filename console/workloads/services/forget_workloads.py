"""Delete expired workloads with their decisions and events."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from console.retention.deletion_age import row_deletion_age
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from console.retention.write_pauses import pause_after
from console.workloads.models import ENDED, Decision, Engine, Workload
from console.workloads.services.forget_label_sets import forget_label_sets

#: Maximum number of workloads per transaction, so that other writers wait only briefly.
BATCH = 200


def forget_workloads(days: int, seconds: float = 0.5) -> int:
    """
    Delete workloads that ended more than *days* ago, none for 0, and return their number.

    Pending and running workloads stay at any age. Organizations take turns of one batch, and after
    each batch there is a pause of the same duration for other writers. After about *seconds* no
    turn is started, because the same worker also runs engines: the next call continues.
    """
    if not days:
        return 0
    limit = timezone.now() - row_deletion_age(days)
    deadline = time.monotonic() + seconds
    workloads: Counter[int] = Counter()
    decisions: Counter[int] = Counter()
    #: By organization: the submission time up to which there is nothing more to delete.
    ended = Workload.objects.filter(
        org_id=OuterRef("pk"), submitted_at__lt=limit, ended_at__lt=limit
    )
    due = Engine.objects.filter(Exists(ended)).order_by("pk")
    left: dict[int, datetime | None] = dict.fromkeys(due.values_list("pk", flat=True))
    while left:
        for org_id, since in list(left.items()):
            with pause_after():
                keys, left[org_id] = _oldest(org_id, since, limit)
                if keys:
                    gone, decided = _forget(org_id, keys)
                    workloads[org_id] += gone
                    decisions[org_id] += decided
            if len(keys) < BATCH:
                del left[org_id]
        if time.monotonic() >= deadline:
            break
    record_deletions(Kind.DECISIONS, decisions)
    return record_deletions(Kind.WORKLOADS, workloads)


def _oldest(
    org_id: int, since: datetime | None, limit: datetime
) -> tuple[list[int], datetime | None]:
    """Return the keys of a batch to delete, and the submission time of its last workload."""
    # A workload ends after its submission, so an index on submission times finds the few that may
    # be old enough. With a condition on the state, all ended workloads would be scanned.
    rows = Workload.objects.filter(org_id=org_id, submitted_at__lt=limit, ended_at__lt=limit)
    if since is not None:
        rows = rows.filter(submitted_at__gte=since)
    found = list(rows.order_by("submitted_at").values_list("pk", "submitted_at")[:BATCH])
    return [pk for pk, _ in found], found[-1][1] if found else since


def _forget(org_id: int, keys: list[int]) -> tuple[int, int]:
    """Delete workloads of an organization; return how many, and the number of their decisions."""
    try:
        return _delete(org_id, keys)
    except IntegrityError:
        # A concurrent submission uses the labels again; the next call retries.
        return 0, 0


def _delete(org_id: int, keys: list[int]) -> tuple[int, int]:
    with transaction.atomic():
        # The worker adds to these counts under the same lock, and concurrent calls wait here.
        engine = Engine.objects.select_for_update().get(pk=org_id)
        rows = Workload.objects.filter(pk__in=keys, state__in=ENDED).order_by()
        found = list(rows.values_list("pk", "state", "label_set_id"))
        gone = Counter(state for _, state, _ in found)
        ended = [pk for pk, _, _ in found]
        decided, _ = Decision.objects.filter(workload__in=ended).delete()
        Workload.objects.filter(pk__in=ended).delete()
        counts = {state: count - gone[state] for state, count in engine.counts.items()}
        Engine.objects.filter(pk=org_id).update(counts=counts)
        forget_label_sets(label_set for _, _, label_set in found)
    return len(found), decided
