"""Delete a cluster and its nodes."""

from __future__ import annotations

from django.db import transaction

from console.capacity.models import Cluster, Node
from console.capacity.queries.clusters import get_cluster
from console.capacity.signals import ChangeKind, ClusterChange, cluster_changed
from console.orgs.audit import record
from console.orgs.permissions import Actor, Permission


def delete_cluster(actor: Actor, name: str) -> Cluster:
    """
    Delete the cluster *name* with its nodes, and return it; its next report registers it again.

    Raises NotAllowed, and NotFound if it is unknown.
    """
    actor.require(Permission.REPORT_CAPACITY)
    with transaction.atomic():
        cluster = get_cluster(actor.org, name, is_locked=True)
        facts = {"nodes": cluster.node_count, "state": cluster.status}
        Node.objects.filter(cluster=cluster).delete()
        cluster.delete()
        record(actor, "cluster.delete", kind="cluster", subject=name, before=facts)
        cluster_changed.send(
            Cluster,
            org_id=actor.org.pk,
            cluster=name,
            actor=actor.name,
            changes=[ClusterChange(ChangeKind.DELETED, facts)],
            concerns_engine=True,
        )
    return cluster
