"""Schemas of organizations, queues, decisions and events."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema, page_of, simulated_until_field
from console.api.schemas.pod_sets import (
    PLACES,
    STOPPING,
    AddedToleration,
    Place,
    Resize,
)
from console.engine.model.decision import Outcome
from console.engine.model.policy import StopPolicy, Strategy
from console.orgs.models import Role
from console.orgs.org_names import LONGEST_NAME
from console.workloads.models import EventType, Level


class OrgSummary(Schema):
    """An organization of which you are a member."""

    slug = serializers.CharField()
    name = serializers.CharField()


OrgPage = page_of(OrgSummary, "OrgPage")


class Org(OrgSummary):
    """An organization, your role in it, and its workload counts."""

    role = serializers.ChoiceField(Role.values)
    config_version = serializers.IntegerField(
        help_text="The active version; 0 before the first apply."
    )
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of workloads by state."
    )
    simulated_until = simulated_until_field()


class OrgName(Schema):
    """The new name of an organization."""

    name = serializers.CharField(max_length=LONGEST_NAME)


class QueueHeld(Schema):
    """The actor that holds the queue, and the reason."""

    reason = serializers.CharField()
    actor = serializers.CharField()
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(
        allow_null=True,
        help_text="When the queue is resumed automatically; null if it has to be resumed by an "
        "operator.",
    )


class QueueCounts(Schema):
    """Counts of running and pending workloads."""

    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    cannot_run = serializers.IntegerField(
        help_text="Pending workloads that cannot run under the active config."
    )


class QueueWaits(Schema):
    """Waits of the workloads admitted in the last 24 hours, in seconds."""

    p50 = serializers.FloatField(allow_null=True, help_text="Null if no workload was admitted.")
    p95 = serializers.FloatField(allow_null=True, help_text="Null with fewer than 20 admissions.")
    count = serializers.IntegerField()


class QueuePressure(Schema):
    """The resource with the highest demand relative to the quota that is available to the queue."""

    resource = serializers.CharField()
    wanted = serializers.FloatField()
    free = serializers.FloatField(
        allow_null=True, help_text="Available quota of all flavors; null if unlimited."
    )


class QueueUsage(Schema):
    """One flavor-resource of a queue. Null means unlimited."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(allow_null=True, help_text="Nominal quota.")
    used = serializers.FloatField()
    borrowed = serializers.FloatField(help_text="Used quota that is borrowed from the cohort.")
    over = serializers.FloatField(
        help_text="Use beyond nominal quota that is not borrowed; quota was removed after "
        "admission."
    )
    lent = serializers.FloatField(
        help_text="Quota used by other queues of the cohort. Quota is pooled: loans are "
        "attributed to lenders in proportion to their unused quota."
    )
    available = serializers.FloatField(
        allow_null=True, help_text="Free quota, plus quota of the cohort that can be borrowed now."
    )
    limit = serializers.FloatField(
        allow_null=True,
        help_text="Nominal quota plus borrowing limit: the maximum use when no other queue uses "
        "quota.",
    )
    demand = serializers.FloatField(
        help_text="Requests of pending workloads that can run. Counted once per resource group, at "
        "its first flavor."
    )
    cannot_run_demand = serializers.FloatField(
        help_text="Requests of pending workloads that cannot run under the active config."
    )


class Queue(Schema):
    """One queue: its place in the config, its counts and its usage."""

    name = serializers.CharField()
    cohort = serializers.CharField(allow_null=True)
    passthrough = serializers.BooleanField(
        help_text="The queue has no resource groups and admits every workload."
    )
    draining = serializers.BooleanField(
        help_text="The active version does not contain the queue, and workloads still run in it."
    )
    successor = serializers.CharField(
        allow_null=True,
        help_text="The queue of the active version that continues a draining queue under another "
        "name, such as `train:v2` for `train`.",
    )
    held = QueueHeld(allow_null=True)
    stop = serializers.ChoiceField(
        [stop.value for stop in StopPolicy],
        help_text="Whether the config stops the queue: `hold` admits no new workloads, "
        "`hold_and_drain` also preempts running ones.",
    )
    strategy = serializers.ChoiceField(
        [strategy.value for strategy in Strategy],
        help_text="Whether later workloads can start while an earlier one does not fit.",
    )
    counts = QueueCounts()
    oldest_pending = serializers.DateTimeField(allow_null=True)
    reasons = serializers.DictField(
        child=serializers.IntegerField(), help_text="Pending workloads by reason."
    )
    waits = QueueWaits()
    pressure = QueuePressure(allow_null=True, help_text="Null if there is no demand.")
    rules = serializers.ListField(
        child=serializers.IntegerField(), help_text="Indexes of the rules that route to the queue."
    )
    range = Range(allow_null=True, help_text="Place of the queue in the active text.")
    usage = QueueUsage(many=True)


QueuePage = page_of(Queue, "QueuePage")


class HoldIn(Schema):
    """Reason and end of a hold."""

    reason = serializers.CharField(max_length=500)
    until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the queue is resumed automatically. Absent or null: an operator has to "
        "resume it.",
    )


class ResumeIn(Schema):
    """Reason of the resume."""

    reason = serializers.CharField(max_length=500, required=False, allow_blank=True)


class DecisionWorkload(Schema):
    """The workload of a decision."""

    id = serializers.CharField()
    name = serializers.CharField()


class DecisionFlavor(Schema):
    """The assigned flavor of a resource, and its launch config."""

    flavor = serializers.CharField()
    launch_config = serializers.JSONField(
        allow_null=True, help_text="The flavor's `advanced_instance_config`, unchanged."
    )


class DecisionPodSet(Schema):
    """The number of admitted pods of a pod set, and their flavors."""

    name = serializers.CharField()
    count = serializers.IntegerField(
        help_text="Admitted pods; fewer than requested in a partial admission."
    )
    flavors = serializers.DictField(child=DecisionFlavor(), help_text="By resource.")
    places = Place(many=True, required=False, help_text=PLACES)
    stopping = Place(many=True, required=False, help_text=STOPPING)
    node_selector = serializers.DictField(
        child=serializers.CharField(),
        help_text="Node labels of the flavors. Add them to the node selector of the pods.",
    )
    tolerations = AddedToleration(
        many=True,
        help_text="Tolerations of the flavors. Add those that the pods do not have yet.",
    )


class Decision(Schema):
    """One decision of the engine."""

    seq = serializers.IntegerField(
        help_text="Number of the decision, increasing; pass it as `after`."
    )
    workload = DecisionWorkload()
    outcome = serializers.ChoiceField([outcome.value for outcome in Outcome])
    reason = ReasonCode()
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    config_version = serializers.IntegerField()
    rule_index = serializers.IntegerField(allow_null=True)
    flavors = serializers.DictField(
        child=DecisionFlavor(), help_text="By resource, where all pod sets have the same flavor."
    )
    assignment = DecisionPodSet(many=True, help_text="Assignment of each pod set.")
    victims = serializers.ListField(
        child=serializers.CharField(),
        help_text="Ids of the workloads that are preempted for it, as far as you may see them.",
    )
    preemptor = serializers.CharField(
        allow_null=True,
        help_text="Id of the workload for which this one is preempted, or which has precedence "
        "over this pending one. Also null if you may not see it.",
    )
    resize = Resize(
        allow_null=True,
        help_text="With the outcome `resized`: the changes, which `assignment` contains already. "
        "Both lists are empty if the pods stay where they are.",
    )
    created_at = serializers.DateTimeField()


class DecisionFeed(Schema):
    """Decisions in order."""

    results = Decision(many=True)
    next = serializers.IntegerField(
        help_text="Pass it as `after`: the last number read, or the number that you passed."
    )


class Event(Schema):
    """An event."""

    id = serializers.CharField()
    type = serializers.ChoiceField(EventType.values)
    level = serializers.ChoiceField(Level.values)
    workload = serializers.CharField(allow_null=True)
    queue = serializers.CharField(allow_null=True)
    actor = serializers.CharField(
        help_text="E-mail address of a person, name of a token, or `engine`."
    )
    message = serializers.CharField()
    data = serializers.DictField(  # type: ignore[assignment]
        help_text="The facts of the message."
    )
    created_at = serializers.DateTimeField()


EventPage = page_of(Event, "EventPage")
