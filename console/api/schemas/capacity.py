"""Schemas of clusters and nodes."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.capacity.models import SILENT, ClusterState
from console.capacity.read_report import (
    LONGEST_KEY,
    LONGEST_MANAGER,
    LONGEST_NAME,
    LONGEST_VALUE,
    MOST_NODES,
    MOST_TAINTS,
)
from console.engine.model.nodes import TaintEffect

#: The query parameter of lists that leaves out nodes.
NODES: Final = OpenApiParameter(
    "nodes",
    OpenApiTypes.BOOL,
    description="Whether clusters have their nodes. Default: true. A page of clusters with nodes "
    "ends after 5,000 nodes, whatever its limit.",
)


_USED: Final = "The amounts that running workloads use, as far as nodes are assigned to them."
_TAKEN: Final = "The amounts that pods of other schedulers use, as reported."
_FREE: Final = (
    "The offered amounts without the used and the taken ones; negative if the offer was reduced."
)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "number", "minimum": 0, "multipleOf": 0.001},
            {"type": "string", "maxLength": 100},
        ]
    }
)
class OfferedAmount(serializers.Field[Any, Any, Any, Any]):
    """An amount, as a number with at most three decimals or a Kubernetes quantity."""


class Taint(Schema):
    """A taint of a node, as in Kubernetes."""

    key = serializers.CharField(max_length=LONGEST_KEY)
    value = serializers.CharField(
        max_length=LONGEST_VALUE, required=False, allow_blank=True, allow_null=True
    )
    effect = serializers.ChoiceField([each.value for each in TaintEffect])


class NodeIn(Schema):
    """One node of a report."""

    name = serializers.CharField(
        max_length=LONGEST_NAME,
        help_text="Letters, digits, dots, dashes and underscores; unique in the cluster.",
    )
    labels = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True), required=False
    )
    taints = serializers.ListField(child=Taint(), required=False, max_length=MOST_TAINTS)
    allocatable = serializers.DictField(
        child=OfferedAmount(),
        required=False,
        help_text="The amounts that all pods of the node may use together, by resource: numbers "
        "with at most three decimals, or Kubernetes quantities such as `64Gi`.",
    )
    taken = serializers.DictField(
        child=OfferedAmount(),
        required=False,
        help_text="The amounts that pods of other schedulers use, in the same form. Nothing is "
        "placed on them.",
    )
    ready = serializers.BooleanField(
        required=False, default=True, help_text="Whether the node accepts new pods."
    )


class ReportIn(Schema):
    """A whole cluster; nodes that are absent are removed."""

    manager = serializers.CharField(
        max_length=LONGEST_MANAGER,
        required=False,
        allow_blank=True,
        help_text="The software that runs the cluster, such as `kubernetes`, `slurm` or `ray`.",
    )
    labels = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True), required=False
    )
    state = serializers.ChoiceField(
        ClusterState.values,
        required=False,
        default=ClusterState.READY.value,
        help_text="A cluster that is draining or has an error accepts no new pods.",
    )
    nodes = serializers.ListField(child=NodeIn(), max_length=MOST_NODES)


class TaintOut(Schema):
    """A taint of a node."""

    key = serializers.CharField()
    value = serializers.CharField()
    effect = serializers.ChoiceField([each.value for each in TaintEffect])


class Node(Schema):
    """One node of a cluster."""

    name = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField())
    taints = TaintOut(many=True)
    allocatable = serializers.DictField(
        child=serializers.FloatField(), help_text="Without resources of which the node has none."
    )
    taken = serializers.DictField(child=serializers.FloatField(), help_text=_TAKEN)
    ready = serializers.BooleanField()
    used = serializers.DictField(child=serializers.FloatField(), help_text=_USED)
    free = serializers.DictField(child=serializers.FloatField(), help_text=_FREE)


class MissingNode(Schema):
    """A node that is not part of its cluster any more, and on which workloads still run."""

    name = serializers.CharField()
    used = serializers.DictField(child=serializers.FloatField(), help_text=_USED)


class Cluster(Schema):
    """A cluster, and the sums over its nodes."""

    name = serializers.CharField()
    manager = serializers.CharField(help_text="Empty if the reports do not name it.")
    labels = serializers.DictField(child=serializers.CharField())
    state = serializers.ChoiceField(ClusterState.values, help_text="The reported state.")
    status = serializers.ChoiceField(
        [*ClusterState.values, SILENT],
        help_text="The reported state, or `silent` if the heartbeats have stopped. Only a ready "
        "cluster accepts new pods.",
    )
    sends_heartbeats = serializers.BooleanField(
        help_text="Whether heartbeats are expected; without them it cannot become silent."
    )
    last_seen = serializers.DateTimeField(help_text="Time of the last report or heartbeat.")
    version = serializers.IntegerField(
        help_text="Rises with each change of labels, state or nodes, and of the silence."
    )
    node_count = serializers.IntegerField()
    ready_nodes = serializers.IntegerField()
    offered = serializers.DictField(
        child=serializers.FloatField(), help_text="The sum over all nodes, by resource."
    )
    taken = serializers.DictField(child=serializers.FloatField(), help_text=_TAKEN)


class ClusterWithNodes(Cluster):
    """A cluster with its nodes, in the order in which they were first reported."""

    used = serializers.DictField(child=serializers.FloatField(), help_text=_USED)
    free = serializers.DictField(child=serializers.FloatField(), help_text=_FREE)
    nodes = Node(many=True, required=False, help_text="Absent with `nodes=false`.")
    missing_nodes = MissingNode(
        many=True,
        required=False,
        help_text="Nodes that the last report did not have, on which workloads still run. Absent "
        "with `nodes=false`.",
    )


ClusterPage = page_of(ClusterWithNodes, "ClusterPage")


class ReportChanges(Schema):
    """The differences between a report and the stored cluster."""

    is_new = serializers.BooleanField(help_text="Whether the report registered the cluster.")
    added = serializers.IntegerField(help_text="Number of nodes.")
    changed = serializers.IntegerField(help_text="Number of nodes.")
    removed = serializers.IntegerField(help_text="Number of nodes.")
    fields = serializers.ListField(  # type: ignore[assignment]
        child=serializers.ChoiceField(["manager", "labels", "state"]),
        help_text="Changed fields of the cluster itself.",
    )


class ReportResult(Cluster):
    """The stored cluster, and the differences that the report made."""

    changes = ReportChanges()


class Heartbeat(Schema):
    """The stored cluster of a heartbeat."""

    name = serializers.CharField()
    version = serializers.IntegerField(
        help_text="If it is not the version of the last report, report the cluster again."
    )


EXAMPLE_REPORT: Final = {
    "manager": "kubernetes",
    "labels": {"region": "eu"},
    "state": "ready",
    "nodes": [
        {
            "name": "gpu-1",
            "labels": {"zone": "a"},
            "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
            "allocatable": {"cpu": 64, "memory": "512Gi", "gpu": 8},
            "ready": True,
        }
    ],
}
