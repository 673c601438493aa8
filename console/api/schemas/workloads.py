"""Schemas of workloads and their explanations."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from console.api.schemas.common import Problem, Range, ReasonCode, Schema, page_of
from console.api.schemas.configs import Diagnostic
from console.api.schemas.pod_sets import PodSet, PodSetAssignment, PodSetIn
from console.dialects.numbers import LEAST_PRIORITY
from console.engine.counterfactual.change import ChangeKind, QuotaNumber
from console.engine.explain import Verdict
from console.engine.model.run_time import LONGEST_RUN_TIME
from console.reading import LARGEST_INTEGER
from console.workloads.models import SearchRun, State
from console.workloads.queries.filters import TYPES
from console.workloads.read_placement import DEEPEST, LONGEST
from console.workloads.read_pod_sets import MOST_POD_SETS
from console.workloads.selection import Outcome
from console.workloads.submissions import MARKET_TYPES, MOST_AT_ONCE

_VERDICTS = [verdict.value for verdict in Verdict]


@extend_schema_field({"type": "object", "additionalProperties": {}})
class Placement(serializers.Field[Any, Any, Any, Any]):
    """An object that the config language defines."""


class WorkloadIn(Schema):
    """One workload to submit."""

    name = serializers.CharField(max_length=200)
    type = serializers.ChoiceField(TYPES, required=False, help_text="Default: `job`.")
    tags = serializers.DictField(
        child=serializers.CharField(max_length=500, allow_blank=True),
        required=False,
        allow_null=True,
        help_text="Labels of the workload. Reserved keys are set by their own fields. Configs with "
        "local queues read `kueue.x-k8s.io/queue-name` and `kueue.x-k8s.io/priority-class`.",
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
        help_text="Default: the priority of the matching rule or of the priority class. Negative "
        "values are valid only if the active config has priority classes.",
    )
    requests = serializers.DictField(
        child=serializers.FloatField(min_value=0),
        required=False,
        allow_null=True,
        help_text="Amounts by resource, with at most three decimals. Short form of one pod set "
        "with one pod.",
    )
    pod_sets = PodSetIn(
        many=True,
        required=False,
        allow_null=True,
        help_text=f"Instead of `requests`: 1 to {MOST_POD_SETS} pod sets, admitted together.",
    )
    user = serializers.CharField(
        max_length=200,
        required=False,
        allow_null=True,
        help_text="Absent: the address of the submitting member, or the user of the token. Another "
        "user requires the role operator or owner.",
    )
    groups = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        allow_null=True,
        help_text="Absent or empty: with your own user, your groups. Groups that you do not have "
        "require the role operator or owner.",
    )
    project = serializers.CharField(max_length=200, required=False, allow_null=True)
    namespace = serializers.CharField(
        max_length=253,
        required=False,
        allow_null=True,
        help_text="Namespace of the local queue, in configs with local queues.",
    )
    preemptible = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="Whether the workload may be preempted, for schedulers that let submitters "
        "choose; absent: the scheduler decides.",
    )
    placement = Placement(
        required=False,
        allow_null=True,
        help_text="Where the workload should run, in the terms of the config language: at most "
        f"{LONGEST:,} characters as JSON and {DEEPEST} levels, all numbers integers. Schedulers "
        "without placement ignore this field.",
    )
    max_run_seconds = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LONGEST_RUN_TIME,
        help_text="How long it may run altogether; it is then stopped and deactivated. Absent: its "
        "tags decide, if the config language has a label for it; otherwise there is no limit.",
    )


class WorkloadsIn(Schema):
    """Workloads to submit, all or none."""

    workloads = WorkloadIn(many=True, help_text=f"1 to {MOST_AT_ONCE:,} workloads.")


class Ids(Schema):
    """Ids of workloads."""

    ids = serializers.ListField(child=serializers.CharField())


class Withdrawals(Ids):
    """Ids of workloads to withdraw."""

    each = serializers.BooleanField(
        required=False, help_text="Withdraw each workload for itself, instead of all or none."
    )


class Priority(Schema):
    """Another priority of a workload."""

    priority = serializers.IntegerField(help_text="Negative if the config language allows it.")


class Priorities(Ids):
    """Ids of workloads, and the priority that they get."""

    priority = serializers.IntegerField(help_text="Negative if the config language allows it.")


class SelectionResult(Schema):
    """The result of one workload of a request."""

    id = serializers.CharField()
    outcome = serializers.ChoiceField(
        [each.value for each in Outcome],
        help_text="`unchanged`: an earlier request had the same effect.",
    )
    message = serializers.CharField(help_text="One sentence about the outcome.")
    workload = serializers.CharField(
        allow_null=True, help_text="Id of the workload that was submitted instead."
    )


class Resubmitted(Ids):
    """Ids of the new workloads, and the result of each workload of the request."""

    results = SelectionResult(many=True)


class Reprioritized(Ids):
    """Ids of the workloads that have the priority, and the result of each workload."""

    results = SelectionResult(many=True)


class Activation(Ids):
    """Ids of the workloads in the requested state, and the result of each workload."""

    results = SelectionResult(many=True)


class Withdrawn(Ids):
    """Ids of the withdrawn workloads."""

    results = SelectionResult(
        many=True, required=False, help_text="The result of each workload, with `each`."
    )


class SubmittedWorkloads(Ids):
    """Ids of the submitted workloads."""

    lints = Diagnostic(
        many=True,
        required=False,
        help_text="Of a manifest: its warnings and notes. Absent for workloads in JSON.",
    )


class SubmissionProblem(Problem):
    """Invalid workloads, or a manifest with errors."""

    diagnostics = Diagnostic(
        many=True, required=False, help_text="Errors of a manifest, with `manifest_rejected`."
    )
    lints = Diagnostic(
        many=True, required=False, help_text="Its warnings and notes, with `manifest_rejected`."
    )


class WorkloadPriority(Schema):
    """The requested priority and the effective one."""

    requested = serializers.IntegerField(allow_null=True)
    effective = serializers.IntegerField(allow_null=True, help_text="Null without a queue.")


class WorkloadReason(Schema):
    """The reason of the workload's state."""

    code = ReasonCode()
    message = serializers.CharField()


class Workload(Schema):
    """One workload with its latest decision."""

    id = serializers.CharField()
    name = serializers.CharField()
    type = serializers.ChoiceField(TYPES)
    labels = serializers.DictField(child=serializers.CharField())
    priority = WorkloadPriority()
    requests = serializers.DictField(
        child=serializers.FloatField(), help_text="Total requests of all pods."
    )
    pod_sets = PodSet(
        many=True, help_text="The pod sets as submitted; one pod set with one pod for `requests`."
    )
    finished_pods = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Number of finished pods by pod set; pod sets without any are absent.",
    )
    state = serializers.ChoiceField(State.values)
    queue = serializers.CharField(
        allow_null=True, help_text="Null until the workload is routed, and if no queue is found."
    )
    queue_position = serializers.IntegerField(
        allow_null=True,
        help_text="Position among the pending workloads of the queue that can run, from 1; null if "
        "the workload cannot run. Returned for a single workload and in the pending list of "
        "a queue; null elsewhere.",
    )
    flavors = serializers.DictField(
        child=serializers.CharField(),
        help_text="Assigned flavor by resource, where all pod sets have the same flavor.",
    )
    assignment = PodSetAssignment(
        many=True, help_text="Assignment of each pod set; empty if the workload uses no quota."
    )
    reason = WorkloadReason()
    preemptor = serializers.CharField(
        allow_null=True,
        help_text="Id of the workload for which this one is preempted, or which has precedence "
        "over this pending one.",
    )
    config_version = serializers.IntegerField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True, help_text="Index of the rule, from 0.")
    submitted_at = serializers.DateTimeField()
    admitted_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    preemptions = serializers.IntegerField()
    user = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    project = serializers.CharField()
    namespace = serializers.CharField()
    preemptible = serializers.BooleanField(
        allow_null=True, help_text="As submitted; null: the scheduler decides."
    )
    placement = Placement(allow_null=True, help_text="As submitted; null for none.")
    active = serializers.BooleanField(
        help_text="Whether it may have turns; a deactivated workload waits for its activation."
    )
    max_run_seconds = serializers.IntegerField(
        allow_null=True, help_text="As submitted; null: its labels decide."
    )
    run_ends_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When a running workload has used up its maximum run time; null without one.",
    )


WorkloadPage = page_of(Workload, "WorkloadPage")


class ExplanationSentence(Schema):
    """One sentence of an explanation, with its numbers."""

    text = serializers.CharField()
    verdict = serializers.ChoiceField(_VERDICTS)
    numbers = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="Numbers by name; amounts in their unit. Null means unlimited.",
    )
    workloads = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of other workloads in the sentence."
    )
    range = Range(allow_null=True, help_text="The lines of the config that the sentence refers to.")


class ExplanationStage(Schema):
    """One stage of an explanation."""

    stage = serializers.CharField(
        help_text="`intake`, `route`, `priority`, `queue`, `flavors`, `preemption`, `order` or "
        "`outcome`."
    )
    verdict = serializers.ChoiceField(_VERDICTS)
    range = Range(
        allow_null=True, help_text="The first lines of the config that the stage refers to."
    )
    sentences = ExplanationSentence(many=True)


class AnyValue(serializers.JSONField):
    """A number, a text or null."""


class WorkloadChange(Schema):
    """One change that would start a pending workload, or accept a rejected one."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    text = serializers.CharField(help_text="The change and its cost, in one sentence.")
    subject = serializers.CharField(
        allow_blank=True,
        help_text="A resource, `pods`, the key of a label, the name of a filter or preference, "
        "flavor/resource, `applications`, or a setting.",
    )
    queue = serializers.CharField(
        allow_null=True,
        help_text="The queue or cohort whose config changes, or the new queue of the workload.",
    )
    cluster = serializers.CharField(
        allow_null=True, help_text="The cluster whose label changes; null for other changes."
    )
    template = serializers.CharField(
        allow_null=True,
        help_text="The template that states the filter or preference; null if the workload does.",
    )
    number = serializers.ChoiceField(
        [number.value for number in QuotaNumber],
        allow_null=True,
        help_text="The changed number; null for changes other than quota.",
    )
    holder = serializers.CharField(
        allow_null=True,
        help_text="The user or group whose limit changes, `*` for every other one; null for other "
        "changes.",
    )
    pod_set = serializers.CharField(allow_null=True)
    to = AnyValue(
        allow_null=True,
        help_text="The new value: a number, a text or null. Amounts are in their unit, for one "
        "pod. `from` is the old value in the same form.",
    )
    workloads = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of the workloads that have to stop or finish."
    )
    who_loses = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of running workloads that would be preempted."
    )
    who_waits = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of pending workloads that would start later."
    )
    starts = serializers.ChoiceField(
        ["now", "later"],
        help_text="`later`: the workload can never start now; with the change it could, as soon as "
        "there is room.",
    )
    range = Range(allow_null=True, help_text="The lines of the config that would change.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which is a reserved word in Python."""
        return {**super().get_fields(), "from": AnyValue(allow_null=True)}


class Candidates(Schema):
    """Progress of the search for changes."""

    tried = serializers.IntegerField(help_text="Candidates with a proven result.")
    total = serializers.IntegerField(help_text="All candidates.")


class WorkloadExplanation(Schema):
    """Why a workload runs, waits, was preempted or was rejected."""

    workload = serializers.CharField()
    config_version = serializers.IntegerField(
        help_text="The version whose text the ranges refer to; 0 if no config is applied."
    )
    evaluated_at = serializers.DateTimeField()
    live = serializers.BooleanField(
        help_text="Whether the explanation is computed on the current state, rather than read from "
        "the decision."
    )
    reason = ReasonCode()
    since = serializers.DateTimeField(
        allow_null=True,
        help_text="The time of the decision since which this reason holds; null if the latest "
        "decision had another one.",
    )
    count = serializers.IntegerField(help_text="How many decisions have had this reason.")
    headline = serializers.CharField(help_text="Summary in one sentence.")
    sentences = serializers.ListField(
        child=serializers.CharField(), help_text="The text of all stages, in order."
    )
    stages = ExplanationStage(many=True)
    changes = WorkloadChange(
        many=True,
        help_text="Changes that would start a pending workload now, or accept a rejected one, the "
        "smallest first. Empty in other states.",
    )
    changes_version = serializers.IntegerField(
        help_text="The active version, whose text the ranges of `changes` refer to; 0 if no change "
        "was tried."
    )
    does_not_help = serializers.CharField(
        allow_blank=True, help_text="Changes that do not help, in one sentence."
    )
    candidates = Candidates()
    is_complete = serializers.BooleanField(
        help_text="Whether all candidates were tried. A search stops after one second; candidates "
        "that were not tried have no known result."
    )


class WorkloadSearch(Schema):
    """A complete search for changes that would start a workload."""

    state = serializers.ChoiceField(SearchRun.State.choices)
    candidates = Candidates()
    error = serializers.CharField(
        allow_blank=True, help_text="The error of a failed search, in one sentence."
    )
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    config_version = serializers.IntegerField(
        help_text="The version whose text the ranges refer to; 0 until the search is done."
    )
    changes = WorkloadChange(many=True, help_text="Empty until the search is done.")
    does_not_help = serializers.CharField(allow_blank=True)
    is_complete = serializers.BooleanField(help_text="Whether all candidates were tried.")


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
EXAMPLE_MANIFEST = "kind: Job\nmetadata:\n  name: train-resnet\nspec:\n  replicas: 2\n"
EXAMPLE_IDS = {"ids": ["5f0c1c0e9a4f4c1b9d2e"]}
EXAMPLE_EACH_IN = {"ids": ["6a3ce9d05f0c1c0e9a4f", "6a3ce9d1b17a90c4d2e8"], "each": True}
EXAMPLE_EACH = {
    "ids": ["6a3ce9d05f0c1c0e9a4f"],
    "results": [
        {
            "id": "6a3ce9d05f0c1c0e9a4f",
            "outcome": "withdrawn",
            "message": "The workload is withdrawn.",
            "workload": None,
        },
        {
            "id": "6a3ce9d1b17a90c4d2e8",
            "outcome": "wrong_state",
            "message": "The workload is already finished; only pending and running workloads are "
            "withdrawn.",
            "workload": None,
        },
    ],
}
EXAMPLE_PRIORITY = {"priority": 50}
EXAMPLE_PRIORITIES = {"ids": ["6a3ce9d05f0c1c0e9a4f"], "priority": 50}
EXAMPLE_REPRIORITIZED = {
    "ids": ["6a3ce9d05f0c1c0e9a4f"],
    "results": [
        {
            "id": "6a3ce9d05f0c1c0e9a4f",
            "outcome": "changed",
            "message": "The priority becomes 50.",
            "workload": None,
        }
    ],
}
EXAMPLE_DEACTIVATED = {
    "ids": ["6a3ce9d05f0c1c0e9a4f"],
    "results": [
        {
            "id": "6a3ce9d05f0c1c0e9a4f",
            "outcome": "deactivated",
            "message": "The workload is deactivated.",
            "workload": None,
        }
    ],
}
EXAMPLE_ACTIVATED = {
    "ids": ["6a3ce9d05f0c1c0e9a4f"],
    "results": [
        {
            "id": "6a3ce9d05f0c1c0e9a4f",
            "outcome": "activated",
            "message": "The workload is activated.",
            "workload": None,
        }
    ],
}
EXAMPLE_RESUBMITTED = {
    "ids": ["6a3ce9f07be2a4c3d911"],
    "results": [
        {
            "id": "6a3ce9d05f0c1c0e9a4f",
            "outcome": "resubmitted",
            "message": "The workload is submitted again as 6a3ce9f07be2a4c3d911.",
            "workload": "6a3ce9f07be2a4c3d911",
        }
    ],
}
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
    "finished_pods": {},
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
    "preemptible": None,
    "placement": None,
    "active": True,
    "max_run_seconds": None,
    "run_ends_at": None,
}
