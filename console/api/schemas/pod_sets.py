"""Schemas of pod sets, as they are handed in and as they are answered."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.api.schemas.common import Schema
from console.engine.model.nodes import NodeOperator, TaintEffect
from console.workloads.read_pod_sets import (
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_VALUE,
    MOST_ENTRIES,
    MOST_PODS,
    MOST_WISHES,
    TOLERATION_OPERATORS,
)

_OPERATORS = [operator.value for operator in NodeOperator]
_EFFECTS = ["", *(effect.value for effect in TaintEffect)]


@extend_schema_field(
    {"oneOf": [{"type": "number", "minimum": 0}, {"type": "string", "maxLength": 100}]}
)
class Quantity(serializers.Field[Any, Any, Any, Any]):
    """A number, or a text such as `64Gi`."""


class NodeExpression(Schema):
    """What is asked of one label of a node."""

    key = serializers.CharField(max_length=LONGEST_KEY)
    operator = serializers.ChoiceField(_OPERATORS)
    values = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        help_text="One or more for In and NotIn, one whole number for Gt and Lt, else none.",
    )


class NodeExpressionIn(NodeExpression):
    """What is asked of one label of a node."""

    values = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        max_length=MOST_ENTRIES,
        required=False,
        allow_null=True,
        help_text="One or more for In and NotIn, one whole number for Gt and Lt, else none.",
    )


class NodeTerm(Schema):
    """Expressions that all have to hold."""

    matchExpressions = NodeExpression(many=True)  # noqa: N815 - the field's own name for it


class NodeTermIn(Schema):
    """Expressions that all have to hold."""

    matchExpressions = NodeExpressionIn(  # noqa: N815 - the field's own name for it
        many=True, help_text=f"1 to {MOST_WISHES} of them."
    )


class Toleration(Schema):
    """A consent to run on tainted nodes."""

    key = serializers.CharField(help_text="Empty stands for every key.")
    operator = serializers.ChoiceField(TOLERATION_OPERATORS)
    value = serializers.CharField()
    effect = serializers.ChoiceField(_EFFECTS, help_text="Empty stands for every effect.")


class TolerationIn(Schema):
    """A consent to run on tainted nodes."""

    key = serializers.CharField(
        max_length=LONGEST_KEY,
        allow_blank=True,
        required=False,
        allow_null=True,
        help_text="Empty stands for every key, and asks for the operator Exists.",
    )
    operator = serializers.ChoiceField(
        TOLERATION_OPERATORS, required=False, allow_null=True, help_text="`Equal` when absent."
    )
    value = serializers.CharField(
        max_length=LONGEST_VALUE,
        allow_blank=True,
        required=False,
        allow_null=True,
        help_text="Not with Exists.",
    )
    effect = serializers.ChoiceField(
        _EFFECTS, required=False, allow_null=True, help_text="Absent: every effect."
    )


class PodSet(Schema):
    """Pods that are alike."""

    name = serializers.CharField()
    count = serializers.IntegerField()
    min_count = serializers.IntegerField(
        allow_null=True, help_text="The fewest pods it would start with; null: all of them."
    )
    requests = serializers.DictField(
        child=serializers.FloatField(), help_text="What each pod asks for: resource to amount."
    )
    node_selector = serializers.DictField(child=serializers.CharField())
    affinity = NodeTerm(many=True, help_text="One of the terms has to hold.")
    tolerations = Toleration(many=True)
    group = serializers.CharField(allow_null=True)


class PodSetIn(Schema):
    """Pods that are alike."""

    name = serializers.CharField(
        max_length=LONGEST_NAME,
        required=False,
        allow_null=True,
        help_text="Small letters, digits and dashes, once in a workload; `main` when absent.",
    )
    count = serializers.IntegerField(
        min_value=0, max_value=MOST_PODS, required=False, allow_null=True, help_text="Or 1."
    )
    min_count = serializers.IntegerField(
        min_value=1,
        max_value=MOST_PODS,
        required=False,
        allow_null=True,
        help_text="The fewest pods it would start with, at most `count`; in one pod set only.",
    )
    requests = serializers.DictField(
        child=Quantity(),
        required=False,
        allow_null=True,
        help_text="What each pod asks for: resource to a number with at most three decimals, or "
        "to a Kubernetes quantity such as `500m` or `64Gi`. `pods` is counted by itself.",
    )
    node_selector = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_VALUE, allow_blank=True),
        required=False,
        allow_null=True,
        help_text="Labels that its nodes have.",
    )
    affinity = NodeTermIn(
        many=True,
        required=False,
        allow_null=True,
        help_text="Required node affinity: one of the terms has to hold.",
    )
    tolerations = TolerationIn(many=True, required=False, allow_null=True)
    group = serializers.CharField(
        max_length=LONGEST_NAME,
        required=False,
        allow_null=True,
        help_text="Pod sets of the same group take their flavors together.",
    )


class AddedToleration(Toleration):
    """A toleration that a flavor adds to pods."""

    tolerationSeconds = serializers.IntegerField(  # noqa: N815 - the field's own name for it
        allow_null=True, help_text="Null: for ever."
    )


class PodSetAssignment(Schema):
    """What one pod set of an admitted workload got."""

    name = serializers.CharField()
    count = serializers.IntegerField(
        help_text="Pods that may start: fewer than asked for when it was admitted in part."
    )
    flavors = serializers.DictField(
        child=serializers.CharField(), help_text="Resource to the flavor that gives it."
    )
    node_selector = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Node labels of the flavors, for the pods' node selector; only in the "
        "workload's own answer, null in lists.",
    )
    tolerations = AddedToleration(
        many=True,
        allow_null=True,
        help_text="Tolerations of the flavors, for the pods; null as `node_selector` is.",
    )
