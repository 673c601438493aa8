"""Schemas of pod sets in requests and responses."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.api.schemas.common import Schema
from console.engine.model.nodes import NAME_FIELD, NodeOperator, TaintEffect
from console.workloads.read_pod_sets import (
    FIELD_OPERATORS,
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_NODE_NAME,
    LONGEST_VALUE,
    MOST_ENTRIES,
    MOST_PODS,
    MOST_WISHES,
    TOLERATION_OPERATORS,
)

PLACES = (
    "The pods by place; their counts add up to `count`. Absent: the scheduler assigns only flavors."
)

STOPPING = "Further pods that have to stop; they use their places until they are released."

_OPERATORS = [operator.value for operator in NodeOperator]
_EFFECTS = ["", *(effect.value for effect in TaintEffect)]


@extend_schema_field(
    {"oneOf": [{"type": "number", "minimum": 0}, {"type": "string", "maxLength": 100}]}
)
class Quantity(serializers.Field[Any, Any, Any, Any]):
    """A number, or a text such as `64Gi`."""


class NodeExpression(Schema):
    """A condition on one node label."""

    key = serializers.CharField(max_length=LONGEST_KEY)
    operator = serializers.ChoiceField(_OPERATORS)
    values = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        help_text="One or more values for `In` and `NotIn`, one integer for `Gt` and `Lt`, "
        "otherwise none.",
    )


class NodeExpressionIn(NodeExpression):
    """A condition on one node label."""

    values = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        max_length=MOST_ENTRIES,
        required=False,
        allow_null=True,
        help_text="One or more values for `In` and `NotIn`, one integer for `Gt` and `Lt`, "
        "otherwise none.",
    )


class NodeField(Schema):
    """A condition on the name of a node."""

    key = serializers.ChoiceField([NAME_FIELD])
    operator = serializers.ChoiceField(FIELD_OPERATORS)
    values = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_NODE_NAME),
        min_length=1,
        max_length=1,
        help_text="The name of one node.",
    )


class NodeTerm(Schema):
    """Expressions that all have to be true."""

    matchExpressions = NodeExpression(many=True)  # noqa: N815 - the field's own name for it
    matchFields = NodeField(  # noqa: N815 - the field's own name for it
        many=True, required=False, help_text="Absent without conditions on the name of a node."
    )


class NodeTermIn(Schema):
    """Expressions that all have to be true; at least one of both lists."""

    matchExpressions = NodeExpressionIn(  # noqa: N815 - the field's own name for it
        many=True, required=False, help_text=f"1 to {MOST_WISHES} expressions."
    )
    matchFields = NodeField(  # noqa: N815 - the field's own name for it
        many=True,
        required=False,
        help_text="One condition on the name of a node, such as that of a DaemonSet's pod. "
        "Schedulers that do not know nodes ignore it.",
    )


class Toleration(Schema):
    """A toleration of node taints."""

    key = serializers.CharField(help_text="Empty matches every key.")
    operator = serializers.ChoiceField(TOLERATION_OPERATORS)
    value = serializers.CharField()
    effect = serializers.ChoiceField(_EFFECTS, help_text="Empty matches every effect.")


class TolerationIn(Schema):
    """A toleration of node taints."""

    key = serializers.CharField(
        max_length=LONGEST_KEY,
        allow_blank=True,
        required=False,
        allow_null=True,
        help_text="Empty matches every key and requires the operator `Exists`.",
    )
    operator = serializers.ChoiceField(
        TOLERATION_OPERATORS, required=False, allow_null=True, help_text="Default: `Equal`."
    )
    value = serializers.CharField(
        max_length=LONGEST_VALUE,
        allow_blank=True,
        required=False,
        allow_null=True,
        help_text="Not allowed with `Exists`.",
    )
    effect = serializers.ChoiceField(
        _EFFECTS, required=False, allow_null=True, help_text="Absent: matches every effect."
    )


class PodSet(Schema):
    """Pods with the same request."""

    name = serializers.CharField()
    count = serializers.IntegerField()
    min_count = serializers.IntegerField(
        allow_null=True,
        help_text="Minimum number of pods for a partial admission; null means all pods.",
    )
    requests = serializers.DictField(
        child=serializers.FloatField(), help_text="Request of each pod: amounts by resource."
    )
    node_selector = serializers.DictField(child=serializers.CharField())
    affinity = NodeTerm(many=True, help_text="At least one term has to be true.")
    tolerations = Toleration(many=True)
    group = serializers.CharField(allow_null=True)


class PodSetIn(Schema):
    """Pods with the same request."""

    name = serializers.CharField(
        max_length=LONGEST_NAME,
        required=False,
        allow_null=True,
        help_text="Lowercase letters, digits and dashes, unique in the workload. Default: `main`.",
    )
    count = serializers.IntegerField(
        min_value=0, max_value=MOST_PODS, required=False, allow_null=True, help_text="Default: 1."
    )
    min_count = serializers.IntegerField(
        min_value=1,
        max_value=MOST_PODS,
        required=False,
        allow_null=True,
        help_text="Minimum number of pods for a partial admission, at most `count`.",
    )
    requests = serializers.DictField(
        child=Quantity(),
        required=False,
        allow_null=True,
        help_text="Request of each pod by resource: a number with at most three decimals, or a "
        "Kubernetes quantity such as `500m` or `64Gi`. `pods` is counted automatically.",
    )
    node_selector = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        required=False,
        allow_null=True,
        help_text="Required node labels.",
    )
    affinity = NodeTermIn(
        many=True,
        required=False,
        allow_null=True,
        help_text="Required node affinity: at least one term has to be true.",
    )
    tolerations = TolerationIn(many=True, required=False, allow_null=True)
    group = serializers.CharField(
        max_length=LONGEST_NAME,
        required=False,
        allow_null=True,
        help_text="Pod sets of the same group get the same flavors.",
    )


class AddedToleration(Toleration):
    """A toleration that a flavor adds to pods."""

    tolerationSeconds = serializers.IntegerField(  # noqa: N815 - the field's own name for it
        allow_null=True, help_text="Null: no time limit."
    )


class Place(Schema):
    """Pods of a pod set and their place; fields that the scheduler does not assign are absent."""

    count = serializers.IntegerField()
    cluster = serializers.CharField(required=False)
    node = serializers.CharField(required=False)
    flavor = serializers.CharField(required=False)


class PodsIn(Schema):
    """Pods of one pod set that have ended."""

    pod_set = serializers.CharField(help_text="Name of the pod set; `main` for `requests`.")
    count = serializers.IntegerField(min_value=1, help_text="Number of pods.")
    cluster = serializers.CharField(
        required=False, allow_null=True, help_text="Only pods on this cluster."
    )
    node = serializers.CharField(
        required=False, allow_null=True, help_text="Only pods on this node."
    )


EXAMPLE_PODS = {"pod_set": "main", "count": 2, "cluster": "east", "node": "gpu-17"}


class PlacedPods(Place):
    """Pods of a pod set and their place."""

    pod_set = serializers.CharField()


class Resize(Schema):
    """Changes of the pods of a running workload."""

    granted = PlacedPods(many=True, help_text="Pods to start.")
    taken = PlacedPods(many=True, help_text="Pods to stop, and to release when they have stopped.")


class PodSetAssignment(Schema):
    """Assignment of one pod set of an admitted workload."""

    name = serializers.CharField()
    count = serializers.IntegerField(
        help_text="Admitted pods; fewer than requested in a partial admission."
    )
    flavors = serializers.DictField(
        child=serializers.CharField(), help_text="Assigned flavor by resource."
    )
    places = Place(many=True, required=False, help_text=PLACES)
    stopping = Place(many=True, required=False, help_text=STOPPING)
    node_selector = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Node labels of the flavors, for the node selector of the pods. Null in lists.",
    )
    tolerations = AddedToleration(
        many=True,
        allow_null=True,
        help_text="Tolerations of the flavors, for the pods. Null in lists.",
    )
