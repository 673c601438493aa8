"""Schemas of organizations, queues, decisions and events."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema, page_of
from console.api.schemas.pod_sets import AddedToleration
from console.engine.model.decision import Outcome
from console.engine.model.policy import StopPolicy, Strategy
from console.orgs.models import Role
from console.workloads.models import EventType, Level


class OrgSummary(Schema):
    """An organization you belong to."""

    slug = serializers.CharField()
    name = serializers.CharField()


OrgPage = page_of(OrgSummary, "OrgPage")


class Org(OrgSummary):
    """An organization, your role in it, and what is going on."""

    role = serializers.ChoiceField(Role.values)
    config_version = serializers.IntegerField(help_text="The active version; 0 before the first.")
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of workloads by state."
    )


class QueueHeld(Schema):
    """Who holds the queue, and why."""

    reason = serializers.CharField()
    actor = serializers.CharField()
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(
        allow_null=True, help_text="When it is resumed by itself; null: when somebody does it."
    )


class QueueCounts(Schema):
    """How many workloads run and wait."""

    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    cannot_run = serializers.IntegerField(
        help_text="Of the pending ones: how many can never run under the active config."
    )


class QueueWaits(Schema):
    """How long admissions of the last 24 hours were waited for, in seconds."""

    p50 = serializers.FloatField(allow_null=True, help_text="Null when nothing was admitted.")
    p95 = serializers.FloatField(allow_null=True, help_text="Null of fewer than 20.")
    count = serializers.IntegerField()


class QueuePressure(Schema):
    """The resource that pending work wants most of, against what the queue may still use of it."""

    resource = serializers.CharField()
    wanted = serializers.FloatField()
    free = serializers.FloatField(
        allow_null=True, help_text="Of all flavors, now; null stands for unlimited."
    )


class QueueUsage(Schema):
    """One flavor-resource of a queue; null stands for unlimited."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(allow_null=True, help_text="What the queue owns.")
    used = serializers.FloatField()
    borrowed = serializers.FloatField(help_text="What is used of the quota of others.")
    over = serializers.FloatField(
        help_text="What is used beyond nominal and borrowed from nobody: quota was taken away."
    )
    lent = serializers.FloatField(
        help_text="What others of the cohort use of it. Quota is pooled: where several could "
        "lend, each is said to lend in proportion to what it leaves unused."
    )
    available = serializers.FloatField(
        allow_null=True, help_text="What may still be used, of its own and of the cohort's quota."
    )
    limit = serializers.FloatField(
        allow_null=True, help_text="What may be used at most, when no other queue uses anything."
    )
    demand = serializers.FloatField(
        help_text="What pending workloads that could run ask for of the resource; once for each "
        "group of resources, at its first flavor."
    )
    cannot_run_demand = serializers.FloatField(
        help_text="The same of pending workloads that can never run under the active config."
    )


class Queue(Schema):
    """One queue: its place in the config, its counts and its usage."""

    name = serializers.CharField()
    cohort = serializers.CharField(allow_null=True)
    passthrough = serializers.BooleanField(help_text="It admits everything, without quota.")
    draining = serializers.BooleanField(
        help_text="The active version does not have it, and work still runs in it."
    )
    held = QueueHeld(allow_null=True)
    stop = serializers.ChoiceField(
        [stop.value for stop in StopPolicy],
        help_text="Whether the config stops it: `hold` admits nothing new, `hold_and_drain` stops "
        "what runs too.",
    )
    strategy = serializers.ChoiceField(
        [strategy.value for strategy in Strategy],
        help_text="Whether what does not fit is overtaken, or holds up those behind it.",
    )
    counts = QueueCounts()
    oldest_pending = serializers.DateTimeField(allow_null=True)
    reasons = serializers.DictField(
        child=serializers.IntegerField(), help_text="Why work waits: how many for each reason."
    )
    waits = QueueWaits()
    pressure = QueuePressure(allow_null=True, help_text="Null when nothing is wanted.")
    rules = serializers.ListField(
        child=serializers.IntegerField(), help_text="Indices of the rules that lead here."
    )
    range = Range(allow_null=True, help_text="Where the active text has it.")
    usage = QueueUsage(many=True)


QueuePage = page_of(Queue, "QueuePage")


class HoldIn(Schema):
    """Why the queue is held, and until when."""

    reason = serializers.CharField(max_length=500)
    until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When it is resumed by itself; absent or null: when somebody does it.",
    )


class ResumeIn(Schema):
    """Why the queue is resumed."""

    reason = serializers.CharField(max_length=500, required=False, allow_blank=True)


class DecisionWorkload(Schema):
    """The workload a decision is about."""

    id = serializers.CharField()
    name = serializers.CharField()


class DecisionFlavor(Schema):
    """The flavor that gives a resource, and how to launch on it."""

    flavor = serializers.CharField()
    launch_config = serializers.JSONField(
        allow_null=True, help_text="The flavor's `advanced_instance_config`, word for word."
    )


class DecisionPodSet(Schema):
    """How many pods of a pod set start, and on which flavors."""

    name = serializers.CharField()
    count = serializers.IntegerField(help_text="Fewer than asked for when it may start with less.")
    flavors = serializers.DictField(child=DecisionFlavor(), help_text="By resource.")
    node_selector = serializers.DictField(
        child=serializers.CharField(),
        help_text="Node labels of the flavors: add them to the pods' node selector.",
    )
    tolerations = AddedToleration(
        many=True,
        help_text="Tolerations of the flavors: add those that the pods do not have yet.",
    )


class Decision(Schema):
    """One decision of the engine."""

    seq = serializers.IntegerField(help_text="Grows with every decision; pass it as `after`.")
    workload = DecisionWorkload()
    outcome = serializers.ChoiceField([outcome.value for outcome in Outcome])
    reason = ReasonCode()
    queue = serializers.CharField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    config_version = serializers.IntegerField()
    rule_index = serializers.IntegerField(allow_null=True)
    flavors = serializers.DictField(
        child=DecisionFlavor(), help_text="By resource, where all pod sets agree."
    )
    assignment = DecisionPodSet(many=True, help_text="What each pod set got.")
    victims = serializers.ListField(
        child=serializers.CharField(),
        help_text="Ids of workloads that have to stop for it, as far as the asker may know them.",
    )
    preemptor = serializers.CharField(
        allow_null=True,
        help_text="Id of the workload that a preempted one has to stop for, or that a pending "
        "one lets go first; null, too, where the asker may not know it.",
    )
    created_at = serializers.DateTimeField()


class DecisionFeed(Schema):
    """Decisions in order."""

    results = Decision(many=True)
    next = serializers.IntegerField(
        help_text="Pass it as `after`: the last number that was looked at, or the one you passed."
    )


class Event(Schema):
    """Something that happened."""

    id = serializers.CharField()
    type = serializers.ChoiceField(EventType.values)
    level = serializers.ChoiceField(Level.values)
    workload = serializers.CharField(allow_null=True)
    queue = serializers.CharField(allow_null=True)
    actor = serializers.CharField(help_text="A person, a token, or `engine`.")
    message = serializers.CharField()
    data = serializers.DictField(  # type: ignore[assignment]
        help_text="The facts behind the message."
    )
    created_at = serializers.DateTimeField()


EventPage = page_of(Event, "EventPage")
