"""Schemas of expectations: workloads, and the queue to which every config has to route them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.api.schemas.routing import TestedWorkload
from console.configs.read_expectations import MOST_EXPECTATIONS


class ExpectationIn(TestedWorkload):
    """A workload and its expected queue."""

    name = serializers.CharField(max_length=200)
    queue = serializers.CharField(
        max_length=500,
        allow_null=True,
        help_text="The expected queue; null if no queue may accept the workload.",
    )
    effective_priority = serializers.IntegerField(
        required=False, allow_null=True, help_text="The expected priority; null for any priority."
    )


class ExpectationsIn(Schema):
    """Expectations to save, all or none."""

    expectations = ExpectationIn(many=True, help_text=f"1 to {MOST_EXPECTATIONS} expectations.")


class ExpectationNames(Schema):
    """Names of expectations."""

    names = serializers.ListField(child=serializers.CharField())


class Expectation(Schema):
    """A saved expectation."""

    name = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField(allow_blank=True))
    namespace = serializers.CharField(allow_blank=True)
    user = serializers.CharField(allow_blank=True)
    groups = serializers.ListField(child=serializers.CharField())
    priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())
    queue = serializers.CharField(allow_null=True)
    effective_priority = serializers.IntegerField(allow_null=True)
    author = serializers.CharField()
    created_at = serializers.DateTimeField()


class ExpectationList(Schema):
    """All expectations, by name."""

    results = Expectation(many=True)


class Deleted(Schema):
    """Number of deleted expectations."""

    deleted = serializers.IntegerField()


class MetExpectation(Schema):
    """An expectation and its result in a config."""

    name = serializers.CharField()
    met = serializers.BooleanField()
    text = serializers.CharField()
    queue = serializers.CharField(allow_null=True, help_text="The actual queue.")
    priority = serializers.IntegerField(allow_null=True, help_text="The actual priority.")


class ExpectationCheck(Schema):
    """Results of all expectations in a config."""

    ok = serializers.BooleanField()
    broken = serializers.IntegerField()
    results = MetExpectation(many=True)


EXAMPLE_EXPECTATION: dict[str, Any] = {
    "name": "research reaches its GPUs",
    "labels": {"team": "research"},
    "requests": {"gpu": 8},
    "queue": "ml_training",
    "effective_priority": 50,
}
