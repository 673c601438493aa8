"""Record a heartbeat of a cluster, which ends its silence."""

from __future__ import annotations

from typing import Final

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from console import statements
from console.capacity.models import Cluster
from console.capacity.signals import ChangeKind, ClusterChange, cluster_changed
from console.errors import NotFound
from console.orgs.permissions import Actor, Permission

_NOW: Final = {
    "sqlite": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')",
    "postgresql": "statement_timestamp()",
}[connection.vendor]
_RECORD: Final = (
    f"UPDATE capacity_cluster SET last_seen = {_NOW}, sends_heartbeats = true "  # noqa: S608
    "WHERE org_id = %s AND name = %s AND NOT is_silent RETURNING version"
)


def record_heartbeat(actor: Actor, name: str) -> int:
    """
    Record that the cluster *name* is alive, and return its version.

    It costs one UPDATE of one row, unless the cluster was silent. Raises NotAllowed, and NotFound
    if the cluster is unknown.
    """
    actor.require(Permission.REPORT_CAPACITY)
    for (version,) in statements.rows(_RECORD, [actor.org.pk, name]):
        return int(version)
    named = Cluster.objects.filter(org=actor.org, name=name)
    with transaction.atomic():
        silent = named.filter(is_silent=True)
        if silent.update(last_seen=Now(), is_silent=False, version=F("version") + 1):
            cluster_changed.send(
                Cluster,
                org_id=actor.org.pk,
                cluster=name,
                actor=actor.name,
                changes=[ClusterChange(ChangeKind.RETURNED)],
                concerns_engine=True,
            )
    found = named.values_list("version", flat=True).first()
    if found is None:
        raise NotFound(f"There is no cluster {name!r} in {actor.org.slug}; report it first.")
    return found
