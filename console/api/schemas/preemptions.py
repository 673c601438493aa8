"""Schemas of preemptions and their receipts."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.api.schemas.workloads import ExplanationStage, WorkloadReason


class PreemptionSide(Schema):
    """One of the two workloads, as far as you may see it."""

    id = serializers.CharField(allow_null=True, help_text="Null if you may not see the workload.")
    name = serializers.CharField(help_text="Name of the workload, or a placeholder.")
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())


class PreemptionShort(Schema):
    """Summary of one preemption."""

    seq = serializers.IntegerField(help_text="Number of the decision.")
    role = serializers.ChoiceField(
        ("victim", "beneficiary"), help_text="The role of the workload in the URL."
    )
    victim = PreemptionSide()
    beneficiary = PreemptionSide(
        allow_null=True, help_text="Null if the preemption was not for another workload."
    )
    reason = WorkloadReason()
    config_version = serializers.IntegerField()
    told_at = serializers.DateTimeField()


class PreemptionReceipt(PreemptionShort):
    """One preemption with all recorded facts."""

    headline = serializers.CharField()
    policy = ExplanationStage(
        allow_null=True, help_text="The preemption policy that applied, with its lines."
    )
    search = ExplanationStage(
        allow_null=True, help_text="The other candidates, and why they were not selected."
    )
    frees = serializers.DictField(
        child=serializers.FloatField(),
        help_text='Quota that the victim frees, by "flavor/resource".',
    )
    released_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Null if the victim is not released, or if the time is not recorded any more.",
    )
    released_by = serializers.CharField(
        allow_null=True, help_text="Type of the event that released the quota."
    )
    is_stopping = serializers.BooleanField(help_text="Whether the victim still uses its quota.")
    times = serializers.IntegerField(
        help_text="Number of preemptions of the victim, including this one."
    )
    times_for_it = serializers.IntegerField(
        help_text="Number of these preemptions for the same workload."
    )


PreemptionPage = page_of(PreemptionShort, "PreemptionPage")
