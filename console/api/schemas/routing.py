"""Schemas of the rule tester: what is tried, and what comes of it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema
from console.api.schemas.configs import DIALECT
from console.api.schemas.pod_sets import PodSetIn
from console.dialects.numbers import LEAST_PRIORITY
from console.engine.model.selectors import Operator
from console.engine.routing.rule_evaluation import RuleStanding
from console.reading import LARGEST_INTEGER

_LABELS = "By key, as selectors see them: `instance-type` rather than the field `instance_type`."


class Asked(Schema):
    """A workload to try, as it would be submitted."""

    labels = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        required=False,
        allow_null=True,
        help_text=_LABELS,
    )
    namespace = serializers.CharField(max_length=253, required=False, allow_null=True)
    priority = serializers.IntegerField(
        min_value=LEAST_PRIORITY,
        max_value=LARGEST_INTEGER,
        required=False,
        allow_null=True,
        help_text="Negative only where the config has priority classes.",
    )
    requests = serializers.DictField(
        child=serializers.JSONField(),
        required=False,
        allow_null=True,
        help_text="Resource to a number, or to a quantity such as `64Gi`.",
    )


class ConfigToTry(Schema):
    """Which config to try on: one of these, or none for the active one."""

    text = serializers.CharField(required=False, allow_blank=True)
    dialect = serializers.CharField(required=False, help_text=f"Of `text`. {DIALECT}")
    version = serializers.IntegerField(required=False, min_value=1)
    draft = serializers.IntegerField(required=False, min_value=1)


class RouteIn(Asked, ConfigToTry):
    """A workload to try, and the config to try it on."""

    pod_sets = PodSetIn(many=True, required=False, allow_null=True)


class TriedExpression(Schema):
    """One expression of a selector on the workload's labels."""

    key = serializers.CharField()
    operator = serializers.ChoiceField([each.value for each in Operator])
    values = serializers.ListField(child=serializers.CharField())
    actual = serializers.CharField(
        allow_null=True, allow_blank=True, help_text="The label's value; null: it is absent."
    )
    holds = serializers.BooleanField()
    range = Range(allow_null=True)


class LabelToChange(Schema):
    """One label to set, to change or to remove."""

    key = serializers.CharField()
    value = serializers.CharField(
        allow_null=True,
        allow_blank=True,
        help_text="Null: remove it, or, with `any`, any value will do.",
    )
    any = serializers.BooleanField()
    but_not = serializers.ListField(
        child=serializers.CharField(), help_text="Values that would not do, with `any`."
    )


class PriorityToAsk(Schema):
    """The priority to ask for."""

    value = serializers.IntegerField(allow_null=True, help_text="Null: ask for none.")


class NearMiss(Schema):
    """The least to change so that a rule or a queue is reached; routed by the engine itself."""

    text = serializers.CharField()
    possible = serializers.BooleanField(
        allow_null=True, help_text="False is proven; null: too much was in the way to tell."
    )
    labels = LabelToChange(many=True)
    priority = PriorityToAsk(allow_null=True, help_text="Null: as it is.")
    namespace = serializers.CharField(allow_null=True, help_text="Null: as it is.")


class TriedRule(Schema):
    """One rule, judged on its own."""

    index = serializers.IntegerField(help_text="From 0.")
    queue = serializers.CharField()
    standing = serializers.ChoiceField([each.value for each in RuleStanding])
    text = serializers.CharField()
    priority = serializers.IntegerField(
        allow_null=True, help_text="That it would give; null when it would not take the workload."
    )
    expressions = TriedExpression(many=True)
    range = Range(allow_null=True)
    nearest = NearMiss(allow_null=True, help_text="Null for the rule that takes it.")


class TriedLocalQueue(Schema):
    """One local queue of the workload's namespace."""

    name = serializers.CharField()
    queue = serializers.CharField()
    named = serializers.BooleanField(
        help_text="Whether it is the workload's: its label names it, or it is the default of the "
        "namespace and the label is absent."
    )
    exists = serializers.BooleanField(help_text="Whether the queue it leads to exists.")
    allowed = serializers.BooleanField(help_text="Whether that queue takes the namespace.")
    expressions = TriedExpression(many=True, help_text="On the labels of the namespace.")
    range = Range(allow_null=True)


class QueueToReach(NearMiss):
    """The least to change so that a local queue leads to another queue."""

    queue = serializers.CharField()


class LabelBranch(Schema):
    """Where values of a label that is absent would lead."""

    values = serializers.ListField(
        child=serializers.CharField(), help_text="Empty: any value that is not listed elsewhere."
    )
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    flavors = serializers.ListField(child=serializers.CharField(), help_text="That accept it.")
    text = serializers.CharField()


class MissingLabel(Schema):
    """A label that the config asks for and the workload lacks."""

    key = serializers.CharField()
    branches = LabelBranch(many=True)
    more = serializers.IntegerField(help_text="Values that were not looked at.")


class TriedResource(Schema):
    """One resource of one flavor; null stands for unlimited."""

    resource = serializers.CharField()
    requested = serializers.FloatField()
    nominal = serializers.FloatField(allow_null=True)
    maximum = serializers.FloatField(allow_null=True, help_text="If nothing ran anywhere.")
    available = serializers.FloatField(allow_null=True, help_text="Now.")


class TriedFlavor(Schema):
    """One flavor of the queue, in the order of trying."""

    flavor = serializers.CharField()
    accepts = serializers.BooleanField()
    text = serializers.CharField()
    expressions = TriedExpression(many=True)
    resources = TriedResource(many=True, help_text="Empty: it is not tried.")
    range = Range(allow_null=True)


class TriedFit(Schema):
    """What quota alone says: whoever waits or could be stopped has no part in it."""

    ever = serializers.BooleanField(help_text="Whether it could start if nothing ran.")
    now = serializers.BooleanField(help_text="Whether it could with what runs now.")
    sentences = serializers.ListField(child=serializers.CharField())
    flavors = TriedFlavor(many=True)


class RouteReason(Schema):
    """Why it reaches no queue."""

    code = ReasonCode()
    message = serializers.CharField()


class Route(Schema):
    """What a config makes of a workload."""

    version = serializers.IntegerField(
        allow_null=True, help_text="Whose text the ranges are in; null for a draft or a text."
    )
    draft = serializers.IntegerField(allow_null=True)
    verdict = serializers.CharField(help_text="One sentence.")
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    reason = RouteReason(allow_null=True)
    rule_count = serializers.IntegerField()
    rules = TriedRule(many=True, help_text="The first hundred, in order.")
    local_queues = TriedLocalQueue(many=True)
    other_queues = QueueToReach(many=True, help_text="Where local queues route.")
    missing_labels = MissingLabel(many=True)
    fit = TriedFit()


EXAMPLE_ROUTE: dict[str, Any] = {"labels": {"team": "research"}, "requests": {"gpu": 8}}
