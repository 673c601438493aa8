"""Mark clusters whose heartbeats have stopped as silent, each exactly once."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from console.capacity.models import Cluster
from console.capacity.signals import ChangeKind, ClusterChange, cluster_changed

#: Maximum number of clusters that one run marks, the longest silent first; the next run is in a few
#: seconds.
MOST: Final = 200

log = structlog.get_logger("console.capacity")


def mark_silent_clusters() -> int:
    """
    Mark each cluster without a heartbeat for `CLUSTER_TIMEOUT` as silent; return their number.

    All times are those of the database's clock, because the clocks of machines differ. Concurrent
    runs and heartbeats are safe: the UPDATE of the unchanged row wins.
    """
    due = Cluster.objects.filter(
        sends_heartbeats=True,
        is_silent=False,
        last_seen__lt=Now() - timedelta(seconds=settings.CLUSTER_TIMEOUT),
    )
    late = due.order_by("last_seen", "pk").values_list("pk", "org_id", "name")
    marked = 0
    for pk, org_id, name in list(late[:MOST]):
        with transaction.atomic():
            if not due.filter(pk=pk).update(is_silent=True, version=F("version") + 1):
                continue
            facts = {"seconds": settings.CLUSTER_TIMEOUT}
            cluster_changed.send(
                Cluster,
                org_id=org_id,
                cluster=name,
                actor=None,
                changes=[ClusterChange(ChangeKind.SILENT, facts)],
                concerns_engine=True,
            )
        marked += 1
        log.warning("cluster is silent", org_id=org_id, cluster=name)
    return marked
