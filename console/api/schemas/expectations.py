"""Schemas of expectations: workloads and where every config has to let them land."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.api.schemas.routing import Asked
from console.configs.read_expectations import MOST_EXPECTATIONS


class ExpectationIn(Asked):
    """A workload and where it has to land."""

    name = serializers.CharField(max_length=200)
    queue = serializers.CharField(
        max_length=500, allow_null=True, help_text="Null: nothing may take it."
    )
    effective_priority = serializers.IntegerField(
        required=False, allow_null=True, help_text="The priority it has to have there; null: any."
    )


class ExpectationsIn(Schema):
    """Expectations to save, all of them or none."""

    expectations = ExpectationIn(many=True, help_text=f"1 to {MOST_EXPECTATIONS}.")


class ExpectationNames(Schema):
    """Names of expectations."""

    names = serializers.ListField(child=serializers.CharField())


class Expectation(Schema):
    """A saved expectation."""

    name = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField(allow_blank=True))
    namespace = serializers.CharField(allow_blank=True)
    priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())
    queue = serializers.CharField(allow_null=True)
    effective_priority = serializers.IntegerField(allow_null=True)
    author = serializers.CharField()
    created_at = serializers.DateTimeField()


class ExpectationList(Schema):
    """Expectations by name; there are never more than fit into one answer."""

    results = Expectation(many=True)


class Deleted(Schema):
    """How many were there."""

    deleted = serializers.IntegerField()


class MetExpectation(Schema):
    """An expectation beside what a config makes of its workload."""

    name = serializers.CharField()
    met = serializers.BooleanField()
    text = serializers.CharField()
    queue = serializers.CharField(allow_null=True, help_text="The one it reaches.")
    priority = serializers.IntegerField(allow_null=True, help_text="The one it has there.")


class ExpectationCheck(Schema):
    """What a config makes of all expectations."""

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
