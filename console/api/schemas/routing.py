"""Schemas of the rule tester."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema
from console.api.schemas.configs import DIALECT
from console.api.schemas.pod_sets import PodSetIn
from console.api.schemas.workloads import Placement
from console.dialects.numbers import LEAST_PRIORITY
from console.engine.model.selectors import Operator
from console.engine.routing.rule_evaluation import RuleStanding
from console.reading import LARGEST_INTEGER

_LABELS = (
    "Labels by key, with the keys of selectors: `instance-type` instead of the field "
    "`instance_type`."
)


class TestedWorkload(Schema):
    """A workload to test, in the form of a submission."""

    labels = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        required=False,
        allow_null=True,
        help_text=_LABELS,
    )
    namespace = serializers.CharField(max_length=253, required=False, allow_null=True)
    user = serializers.CharField(max_length=200, required=False, allow_null=True)
    groups = serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=100,
        required=False,
        allow_null=True,
        help_text="Groups of the user.",
    )
    priority = serializers.IntegerField(
        min_value=LEAST_PRIORITY,
        max_value=LARGEST_INTEGER,
        required=False,
        allow_null=True,
        help_text="Negative values are valid only if the config has priority classes.",
    )
    requests = serializers.DictField(
        child=serializers.JSONField(),
        required=False,
        allow_null=True,
        help_text="Amounts by resource: a number, or a quantity such as `64Gi`.",
    )


class ConfigToTry(Schema):
    """The config of a test: a text, a version or a draft. Default: the active version."""

    text = serializers.CharField(required=False, allow_blank=True)
    dialect = serializers.CharField(required=False, help_text=f"Language of `text`. {DIALECT}")
    version = serializers.IntegerField(required=False, min_value=1)
    draft = serializers.IntegerField(required=False, min_value=1)


class RouteIn(TestedWorkload, ConfigToTry):
    """A workload to test, and the config to test it on."""

    pod_sets = PodSetIn(many=True, required=False, allow_null=True)
    placement = Placement(
        required=False,
        allow_null=True,
        help_text="As in a submission: where the workload should run, in the terms of the config "
        "language.",
    )


class TriedExpression(Schema):
    """One expression of a selector, evaluated on labels."""

    key = serializers.CharField()
    operator = serializers.ChoiceField([each.value for each in Operator])
    values = serializers.ListField(child=serializers.CharField())
    actual = serializers.CharField(
        allow_null=True, allow_blank=True, help_text="Value of the label; null if it is absent."
    )
    holds = serializers.BooleanField()
    range = Range(allow_null=True)


class LabelToChange(Schema):
    """One label to set, change or remove."""

    key = serializers.CharField()
    value = serializers.CharField(
        allow_null=True,
        allow_blank=True,
        help_text="The new value. Null: remove the label, or with `any`, set any value.",
    )
    any = serializers.BooleanField()
    but_not = serializers.ListField(
        child=serializers.CharField(), help_text="With `any`: values that do not match."
    )


class PriorityToAsk(Schema):
    """The priority to request."""

    value = serializers.IntegerField(allow_null=True, help_text="Null: request no priority.")


class NearMiss(Schema):
    """The smallest change that reaches a rule or queue, verified by the engine."""

    text = serializers.CharField()
    possible = serializers.BooleanField(
        allow_null=True,
        help_text="False if proven to be impossible; null if the search was stopped at its limit.",
    )
    labels = LabelToChange(many=True)
    priority = PriorityToAsk(allow_null=True, help_text="Null: unchanged.")
    namespace = serializers.CharField(allow_null=True, help_text="Null: unchanged.")


class TriedRule(Schema):
    """One rule, evaluated by itself."""

    index = serializers.IntegerField(help_text="Index of the rule, from 0.")
    queue = serializers.CharField()
    standing = serializers.ChoiceField([each.value for each in RuleStanding])
    text = serializers.CharField()
    priority = serializers.IntegerField(
        allow_null=True, help_text="The effective priority; null if the rule does not match."
    )
    expressions = TriedExpression(many=True)
    range = Range(allow_null=True)
    nearest = NearMiss(allow_null=True, help_text="Null for the matching rule.")


class TriedLocalQueue(Schema):
    """One local queue of the workload's namespace."""

    name = serializers.CharField()
    queue = serializers.CharField()
    named = serializers.BooleanField(
        help_text="Whether this is the local queue of the workload: named by its label, or the "
        "default of the namespace if the label is absent."
    )
    exists = serializers.BooleanField(help_text="Whether its queue exists.")
    allowed = serializers.BooleanField(help_text="Whether its queue accepts the namespace.")
    expressions = TriedExpression(
        many=True, help_text="Expressions on the labels of the namespace."
    )
    range = Range(allow_null=True)


class QueueToReach(NearMiss):
    """The smallest change that routes to another queue."""

    queue = serializers.CharField()


class LabelBranch(Schema):
    """The result of some values of an absent label."""

    values = serializers.ListField(
        child=serializers.CharField(),
        help_text="Empty: all values that are not listed in other branches.",
    )
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    flavors = serializers.ListField(
        child=serializers.CharField(), help_text="Flavors that accept the workload."
    )
    text = serializers.CharField()


class MissingLabel(Schema):
    """A label that the config references and the workload does not have."""

    key = serializers.CharField()
    branches = LabelBranch(many=True)
    more = serializers.IntegerField(help_text="Number of values that were not evaluated.")


class TriedResource(Schema):
    """One resource of one flavor. Null means unlimited."""

    resource = serializers.CharField()
    requested = serializers.FloatField()
    nominal = serializers.FloatField(allow_null=True)
    maximum = serializers.FloatField(
        allow_null=True, help_text="Available quota if no workload were running."
    )
    available = serializers.FloatField(allow_null=True, help_text="Available quota now.")


class TriedFlavor(Schema):
    """One flavor of the queue, in the configured order."""

    flavor = serializers.CharField()
    accepts = serializers.BooleanField()
    text = serializers.CharField()
    expressions = TriedExpression(many=True)
    resources = TriedResource(many=True, help_text="Empty if the flavor is not tried.")
    range = Range(allow_null=True)


class TriedCluster(Schema):
    """One cluster for one pod set; those that remain come first, in the order of rank."""

    pod_set = serializers.CharField()
    cluster = serializers.CharField()
    order = serializers.IntegerField(
        allow_null=True, help_text="Its place in the order of filling, from 1; null: removed."
    )
    stage = serializers.CharField(
        help_text="The stage that removed it, such as `not_ready` or `capacity`; `kept` if none."
    )
    text = serializers.CharField()
    capacity = serializers.FloatField(
        allow_null=True, help_text="Free capacity as it is ranked; null if it was removed."
    )
    weight = serializers.IntegerField(
        allow_null=True, help_text="Of its best preference; null if it was removed."
    )
    largest_weight = serializers.IntegerField(help_text="Of all preferences of the workload.")
    score = serializers.CharField(
        allow_null=True, help_text="The score by which it is ranked, in words."
    )
    replicas = serializers.IntegerField(help_text="Pods that would go there.")


class TriedFit(Schema):
    """Whether the quota suffices, without pending workloads and preemption."""

    ever = serializers.BooleanField(
        help_text="Whether the workload fits if no workload is running."
    )
    now = serializers.BooleanField(
        help_text="Whether the workload fits beside the running workloads."
    )
    sentences = serializers.ListField(child=serializers.CharField())
    flavors = TriedFlavor(many=True)
    clusters = TriedCluster(
        many=True,
        help_text="Of schedulers that place workloads on clusters: the verdict on each, beside "
        "the running workloads; if the workload can never fit, as if none were running.",
    )


class RouteReason(Schema):
    """Why no queue is found."""

    code = ReasonCode()
    message = serializers.CharField()


class Route(Schema):
    """The route of a workload in a config."""

    version = serializers.IntegerField(
        allow_null=True,
        help_text="The version whose text the ranges refer to; null for a draft or a text.",
    )
    draft = serializers.IntegerField(allow_null=True)
    verdict = serializers.CharField(help_text="The result in one sentence.")
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    reason = RouteReason(allow_null=True)
    rule_count = serializers.IntegerField()
    rules = TriedRule(many=True, help_text="The first 100 rules, in order.")
    local_queues = TriedLocalQueue(many=True)
    other_queues = QueueToReach(
        many=True, help_text="In configs with local queues: how to reach the other queues."
    )
    missing_labels = MissingLabel(many=True)
    fit = TriedFit()


EXAMPLE_ROUTE: dict[str, Any] = {"labels": {"team": "research"}, "requests": {"gpu": 8}}
