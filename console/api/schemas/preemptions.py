"""Schemas of preemptions and their receipts."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.api.schemas.workloads import ExplanationStage, WorkloadReason


class PreemptionSide(Schema):
    """One of the two workloads, as far as the asker may know it."""

    id = serializers.CharField(allow_null=True, help_text="Null: it may not be told.")
    name = serializers.CharField(help_text="Its name, or words that do not tell it.")
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())


class PreemptionShort(Schema):
    """One stop in short."""

    seq = serializers.IntegerField(help_text="Number of the decision in the feed.")
    role = serializers.ChoiceField(
        ("victim", "beneficiary"), help_text="Which of the two the workload in the address is."
    )
    victim = PreemptionSide()
    beneficiary = PreemptionSide(allow_null=True, help_text="Null: it was stopped for no other.")
    reason = WorkloadReason()
    config_version = serializers.IntegerField()
    told_at = serializers.DateTimeField()


class PreemptionReceipt(PreemptionShort):
    """One stop with all that is known of it."""

    headline = serializers.CharField()
    policy = ExplanationStage(allow_null=True, help_text="By what right, with the lines.")
    search = ExplanationStage(
        allow_null=True, help_text="What else was looked at, and why it was not chosen."
    )
    frees = serializers.DictField(
        child=serializers.FloatField(), help_text='What it gives back, by "flavor/resource".'
    )
    released_at = serializers.DateTimeField(
        allow_null=True, help_text="Null: not yet, or not recorded any more."
    )
    released_by = serializers.CharField(allow_null=True, help_text="Type of the event.")
    is_stopping = serializers.BooleanField(help_text="Whether it still holds its quota.")
    times = serializers.IntegerField(help_text="How often the victim was told to stop by then.")
    times_for_it = serializers.IntegerField(help_text="How often for the same workload.")


PreemptionPage = page_of(PreemptionShort, "PreemptionPage")
