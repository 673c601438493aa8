"""Models of clusters and their nodes."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from console.orgs.models import Organization


class ClusterState(models.TextChoices):
    """The state that a cluster reports about itself."""

    READY = "ready"
    #: It finishes what runs there and accepts no new pods.
    DRAINING = "draining"
    ERROR = "error"


#: The status of a cluster without a heartbeat for too long, whatever state it reported.
SILENT = "silent"


class Cluster(models.Model):
    """One cluster of an organization; clusters were registered in the order of their keys."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="clusters", db_index=False
    )
    name = models.CharField(max_length=253)
    #: The software that runs the cluster, such as kubernetes, slurm or ray; may be empty.
    manager = models.CharField(max_length=40, blank=True)
    labels = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=ClusterState.choices)
    #: Whether it ever sent a heartbeat since it was last loaded by hand. Only such a cluster can
    #: become silent.
    sends_heartbeats = models.BooleanField(default=False)
    #: Whether its heartbeats have stopped.
    is_silent = models.BooleanField(default=False)
    #: Time of the last report or heartbeat, by the clock of the database.
    last_seen = models.DateTimeField()
    #: Increased with every change that the engine has to know, which includes nodes and silence.
    version = models.BigIntegerField(default=1)
    # Sums over all nodes, so that lists of clusters do not read nodes.
    node_count = models.PositiveIntegerField()
    ready_nodes = models.PositiveIntegerField()
    #: {resource: thousandths}
    offered = models.JSONField(default=dict)
    #: In the same form, None without any.
    taken = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "name"], name="one_cluster_per_name"),
            models.CheckConstraint(
                condition=Q(is_silent=False) | Q(sends_heartbeats=True),
                name="only_heartbeats_stop",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.org}"

    @property
    def status(self) -> str:
        """The reported state, or `SILENT`."""
        return SILENT if self.is_silent else self.state


class Node(models.Model):
    """One node of a cluster."""

    cluster = models.ForeignKey(
        Cluster, on_delete=models.CASCADE, related_name="nodes", db_index=False
    )
    name = models.CharField(max_length=253)
    #: Its place in the cluster: nodes of the first report in the order of that report, later ones
    #: behind them. A report in another order changes nothing.
    position = models.PositiveIntegerField()
    labels = models.JSONField(default=dict)
    #: [{"key", "value", "effect"}]
    taints = models.JSONField(default=list)
    #: The amounts that pods may use together: {resource: thousandths}; absent resources are zero.
    allocatable = models.JSONField(default=dict)
    #: What pods of other schedulers use of it, in the same form; None: nothing.
    taken = models.JSONField(null=True)
    is_ready = models.BooleanField()
    #: The version of the cluster at which the node was last changed.
    version = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["cluster", "name"], name="one_node_per_name"),
            models.UniqueConstraint(fields=["cluster", "position"], name="one_node_per_position"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.cluster_id}"
