"""Schemas of workloads and their explanations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema, page_of
from console.api.schemas.pod_sets import PodSet, PodSetAssignment, PodSetIn
from console.dialects.numbers import LEAST_PRIORITY
from console.engine.counterfactual.change import ChangeKind, QuotaNumber
from console.engine.explain import Verdict
from console.reading import LARGEST_INTEGER
from console.workloads.models import SearchRun, State
from console.workloads.queries.filters import TYPES
from console.workloads.read_pod_sets import MOST_POD_SETS
from console.workloads.submissions import MARKET_TYPES, MOST_AT_ONCE

_VERDICTS = [verdict.value for verdict in Verdict]


class WorkloadIn(Schema):
    """One workload as it is handed in."""

    name = serializers.CharField(max_length=200)
    type = serializers.ChoiceField(TYPES, required=False, help_text="`job` when absent.")
    tags = serializers.DictField(
        child=serializers.CharField(max_length=500, allow_blank=True),
        required=False,
        allow_null=True,
        help_text="Labels of your own; reserved keys have fields of their own. Where workloads "
        "name their queue, `kueue.x-k8s.io/queue-name` and `kueue.x-k8s.io/priority-class` do it.",
    )
    instance_type = serializers.CharField(max_length=200, required=False, allow_null=True)
    accelerator_type = serializers.CharField(max_length=200, required=False, allow_null=True)
    market_type = serializers.ChoiceField(MARKET_TYPES, required=False, allow_null=True)
    cloud_resource_id = serializers.CharField(max_length=200, required=False, allow_null=True)
    priority = serializers.IntegerField(
        min_value=LEAST_PRIORITY,
        max_value=LARGEST_INTEGER,
        required=False,
        allow_null=True,
        help_text="Absent: the rule that takes it decides, or its priority class. Negative only "
        "where the active config has priority classes; from 0 where it has rules.",
    )
    requests = serializers.DictField(
        child=serializers.FloatField(min_value=0),
        required=False,
        allow_null=True,
        help_text="Resource to amount, with at most three decimals: the short form of one pod "
        "set of one pod.",
    )
    pod_sets = PodSetIn(
        many=True,
        required=False,
        allow_null=True,
        help_text=f"Instead of `requests`: 1 to {MOST_POD_SETS} kinds of pods, admitted together.",
    )
    user = serializers.CharField(max_length=200, required=False, allow_null=True)
    groups = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, allow_null=True
    )
    project = serializers.CharField(max_length=200, required=False, allow_null=True)
    namespace = serializers.CharField(
        max_length=253,
        required=False,
        allow_null=True,
        help_text="Where its local queue is, in configs that have local queues.",
    )


class WorkloadsIn(Schema):
    """Workloads to hand in: all of them or none."""

    workloads = WorkloadIn(many=True, help_text=f"1 to {MOST_AT_ONCE:,} of them.")


class Ids(Schema):
    """Ids of workloads."""

    ids = serializers.ListField(child=serializers.CharField())


class WorkloadPriority(Schema):
    """The priority that was asked for, and the one that counts."""

    requested = serializers.IntegerField(allow_null=True)
    effective = serializers.IntegerField(allow_null=True, help_text="Null while in no queue.")


class WorkloadReason(Schema):
    """Why the workload is in its state."""

    code = ReasonCode()
    message = serializers.CharField()


class Workload(Schema):
    """One workload and what was decided about it."""

    id = serializers.CharField()
    name = serializers.CharField()
    type = serializers.ChoiceField(TYPES)
    labels = serializers.DictField(child=serializers.CharField())
    priority = WorkloadPriority()
    requests = serializers.DictField(
        child=serializers.FloatField(), help_text="What all its pods ask for together."
    )
    pod_sets = PodSet(
        many=True, help_text="As they were handed in; one of one pod for plain `requests`."
    )
    state = serializers.ChoiceField(State.values)
    queue = serializers.CharField(
        allow_null=True, help_text="Null until it is known, and while it leads to no queue."
    )
    queue_position = serializers.IntegerField(
        allow_null=True,
        help_text="Among the pending workloads of its queue that could run, from 1; null for one "
        "that can never run. Only in the workload's own answer and in the pending list of its "
        "queue, null elsewhere.",
    )
    flavors = serializers.DictField(
        child=serializers.CharField(),
        help_text="Resource to the flavor that gives it, where all pod sets agree.",
    )
    assignment = PodSetAssignment(
        many=True, help_text="What each pod set got; empty while it holds nothing."
    )
    reason = WorkloadReason()
    preemptor = serializers.CharField(
        allow_null=True,
        help_text="Id of the workload that a preempting one has to stop for, or that a pending "
        "one lets go first.",
    )
    config_version = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True, help_text="From 0.")
    submitted_at = serializers.DateTimeField()
    admitted_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    preemptions = serializers.IntegerField()
    user = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    project = serializers.CharField()
    namespace = serializers.CharField()


WorkloadPage = page_of(Workload, "WorkloadPage")


class ExplanationSentence(Schema):
    """One fact, in words and in numbers."""

    text = serializers.CharField()
    verdict = serializers.ChoiceField(_VERDICTS)
    numbers = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="By name, amounts in their unit; null stands for unlimited.",
    )
    workloads = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of other workloads it speaks of."
    )
    range = Range(allow_null=True, help_text="The lines of the config that decided.")


class ExplanationStage(Schema):
    """One step from labels to outcome."""

    stage = serializers.CharField(
        help_text="intake, route, priority, queue, flavors, preemption, order or outcome."
    )
    verdict = serializers.ChoiceField(_VERDICTS)
    range = Range(allow_null=True, help_text="The first lines of the config that it points at.")
    sentences = ExplanationSentence(many=True)


class AnyValue(serializers.JSONField):
    """A number, a text or nothing."""


class WorkloadChange(Schema):
    """One change that would start a pending workload, tried on a copy, or let a rejected one in."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    text = serializers.CharField(help_text="The change and what it costs, in one sentence.")
    subject = serializers.CharField(
        allow_blank=True,
        help_text="A resource or `pods`, a label's key, flavor/resource, or a setting.",
    )
    queue = serializers.CharField(
        allow_null=True, help_text="The queue or cohort whose config changes, or where it would go."
    )
    number = serializers.ChoiceField(
        [number.value for number in QuotaNumber], allow_null=True, help_text="Of a quota alone."
    )
    pod_set = serializers.CharField(allow_null=True)
    to = AnyValue(
        allow_null=True,
        help_text="A number, a text or null; amounts in their unit, of one pod. `from` is alike.",
    )
    workloads = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of those that have to stop or end."
    )
    who_loses = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of running ones that would be stopped."
    )
    who_waits = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of pending ones that would start later."
    )
    range = Range(allow_null=True, help_text="The lines of the config that would change.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which is no name in Python."""
        return {**super().get_fields(), "from": AnyValue(allow_null=True)}


class Candidates(Schema):
    """How far the search for changes came."""

    tried = serializers.IntegerField(help_text="Candidates that were proven to help or not to.")
    total = serializers.IntegerField(help_text="All of them.")


class WorkloadExplanation(Schema):
    """Why a workload is where it is."""

    workload = serializers.CharField()
    config_version = serializers.IntegerField(
        help_text="The version whose text the ranges point into; 0 when none was applied."
    )
    evaluated_at = serializers.DateTimeField()
    live = serializers.BooleanField(
        help_text="Judged at this moment on what runs now, rather than when it was decided."
    )
    reason = ReasonCode()
    headline = serializers.CharField(help_text="The answer in one sentence.")
    sentences = serializers.ListField(
        child=serializers.CharField(), help_text="The text of all stages in order, to show or log."
    )
    stages = ExplanationStage(many=True)
    changes = WorkloadChange(
        many=True,
        help_text="What would start a pending workload now, or let a rejected one in, the least "
        "effort first; empty of any other.",
    )
    changes_version = serializers.IntegerField(
        help_text="The version whose text the ranges of `changes` point into: the active one; 0 "
        "when nothing was tried."
    )
    does_not_help = serializers.CharField(
        allow_blank=True, help_text="What was tried in vain, in one sentence."
    )
    candidates = Candidates()
    is_complete = serializers.BooleanField(
        help_text="Whether every candidate was tried. A search ends after a second; of what it "
        "did not try nothing is known."
    )


class WorkloadSearch(Schema):
    """A whole search for what would start a workload."""

    state = serializers.ChoiceField(SearchRun.State.choices)
    candidates = Candidates()
    error = serializers.CharField(allow_blank=True, help_text="Why it failed, in one sentence.")
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    config_version = serializers.IntegerField(
        help_text="The version whose text the ranges point into; 0 until it is done."
    )
    changes = WorkloadChange(many=True, help_text="Empty until it is done.")
    does_not_help = serializers.CharField(allow_blank=True)
    is_complete = serializers.BooleanField(help_text="Whether every candidate was tried.")


EXAMPLE_IN = {
    "workloads": [
        {
            "name": "train-resnet",
            "type": "job",
            "tags": {"team": "research"},
            "instance_type": "p4d.24xlarge",
            "accelerator_type": "A100",
            "market_type": "SPOT",
            "priority": 60,
            "requests": {"gpu": 8, "cpu": 96},
            "user": "trainer",
            "project": "vision",
        }
    ]
}
EXAMPLE_POD_SETS_IN = {
    "workloads": [
        {
            "name": "train-on-many",
            "namespace": "vision",
            "tags": {
                "kueue.x-k8s.io/queue-name": "training",
                "kueue.x-k8s.io/priority-class": "high",
            },
            "pod_sets": [
                {"name": "driver", "requests": {"cpu": "500m", "memory": "2Gi"}},
                {
                    "name": "workers",
                    "count": 8,
                    "min_count": 4,
                    "requests": {"cpu": 16, "memory": "64Gi", "nvidia.com/gpu": 1},
                    "node_selector": {"zone": "west"},
                    "tolerations": [{"key": "spot", "operator": "Exists"}],
                },
            ],
        }
    ]
}
EXAMPLE_IDS = {"ids": ["5f0c1c0e9a4f4c1b9d2e"]}
EXAMPLE: dict[str, Any] = {
    "id": "5f0c1c0e9a4f4c1b9d2e",
    "name": "train-resnet",
    "type": "job",
    "labels": {
        "team": "research",
        "instance-type": "p4d.24xlarge",
        "accelerator-type": "A100",
        "market-type": "SPOT",
        "workload-type": "job",
    },
    "priority": {"requested": 60, "effective": 60},
    "requests": {"gpu": 8, "cpu": 96},
    "pod_sets": [
        {
            "name": "main",
            "count": 1,
            "min_count": None,
            "requests": {"gpu": 8, "cpu": 96},
            "node_selector": {},
            "affinity": [],
            "tolerations": [],
            "group": None,
        }
    ],
    "state": "admitted",
    "queue": "ml_training",
    "queue_position": None,
    "flavors": {"gpu": "gpu_a100_spot", "cpu": "gpu_a100_spot"},
    "assignment": [
        {
            "name": "main",
            "count": 1,
            "flavors": {"gpu": "gpu_a100_spot", "cpu": "gpu_a100_spot"},
            "node_selector": {},
            "tolerations": [],
        }
    ],
    "reason": {"code": "quota_reserved", "message": "Quota reserved"},
    "preemptor": None,
    "config_version": 3,
    "rule_index": 0,
    "submitted_at": "2026-01-31T12:00:00.250000Z",
    "admitted_at": "2026-01-31T12:00:00.400000Z",
    "ended_at": None,
    "preemptions": 0,
    "user": "trainer",
    "groups": [],
    "project": "vision",
    "namespace": "",
}
