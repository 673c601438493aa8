"""Schemas of impact: questions about a text, and what it would do."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import ReasonCode, Schema
from console.configs.models import ImpactRun
from console.engine.impact import DoubtKind, Exposure, Fit, HistoryOutcome, LiveOutcome, Loss


class WorkloadRef(Schema):
    """A workload, as far as the asker may know it."""

    id = serializers.CharField(allow_null=True, help_text="Null: it may not be told.")
    name = serializers.CharField(help_text="Its name, or words that do not tell it.")


class AffectedWorkload(Schema):
    """A workload to which something would happen."""

    id = serializers.CharField()
    name = serializers.CharField()
    queue = serializers.CharField(allow_null=True, help_text="Where it runs or waits now.")
    to = serializers.CharField(allow_null=True, help_text="Where it would run or wait.")
    reason = ReasonCode(allow_null=True, help_text="Why, when decided.")
    losses = serializers.ListField(
        child=serializers.ChoiceField([*map(str, Loss), *map(str, Exposure)]),
        help_text="What it loses, or by what new rights it may be stopped.",
    )
    preemptor = WorkloadRef(allow_null=True, help_text="For whom it would be stopped.")


class LiveGroup(Schema):
    """Workloads to which the same would happen."""

    outcome = serializers.ChoiceField([outcome.value for outcome in LiveOutcome])
    count = serializers.IntegerField()
    first = AffectedWorkload(many=True, help_text="At most 500 of them.")


class OverQuota(Schema):
    """A queue that would hold more of a flavor and resource than it owns, by more than now."""

    queue = serializers.CharField()
    flavor = serializers.CharField()
    resource = serializers.CharField()
    used = serializers.FloatField()
    nominal_before = serializers.FloatField(allow_null=True, help_text="Null: unlimited.")
    nominal_after = serializers.FloatField(allow_null=True, help_text="Null: unlimited.")


class LiveImpact(Schema):
    """What would happen to everything that runs and waits."""

    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    outcomes = LiveGroup(many=True, help_text="Outcomes that nobody has are absent.")
    over = OverQuota(many=True, help_text="At most 100 of them.")
    over_count = serializers.IntegerField()


class OutcomeCount(Schema):
    """How much of history has one outcome."""

    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()


class Standing(Schema):
    """Where workloads go under one config, and what becomes of one that is alone there."""

    queue = serializers.CharField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    fit = serializers.ChoiceField([fit.value for fit in Fit])
    reason = ReasonCode()


class MissingFact(Schema):
    """A fact that was not recorded."""

    kind = serializers.ChoiceField([kind.value for kind in DoubtKind])
    key = serializers.CharField(allow_blank=True, help_text="The label's key; empty else.")


class ImpactShape(Schema):
    """Recorded workloads that are alike."""

    labels = serializers.DictField(child=serializers.CharField())
    namespace = serializers.CharField(allow_blank=True)
    requested_priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())
    runs = serializers.IntegerField()
    last_seen = serializers.DateField()
    outcome = serializers.ChoiceField([outcome.value for outcome in HistoryOutcome])
    before = Standing()
    after = Standing(help_text="As recorded: without what is missing, where something is.")
    doubts = MissingFact(many=True, help_text="On what `cannot_tell` hangs.")


class Doubt(MissingFact):
    """A fact that was not recorded, who asks for it, and how much it leaves open."""

    rule_indexes = serializers.ListField(child=serializers.IntegerField())
    flavors = serializers.ListField(child=serializers.CharField())
    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()


class HistoryImpact(Schema):
    """What would have become of recorded workloads."""

    window_days = serializers.IntegerField()
    is_complete = serializers.BooleanField(help_text="False: older shapes are left out.")
    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()
    outcomes = serializers.DictField(
        child=OutcomeCount(), help_text="By outcome; all of them are there."
    )
    listed = serializers.IntegerField(help_text="Rows of one outcome at most, by runs.")
    resources = serializers.ListField(
        child=serializers.CharField(),
        help_text="Beside them, the rows of one outcome that asked for the most of one of these.",
    )
    rows = ImpactShape(many=True, help_text="The shapes with the most runs first.")
    doubts = Doubt(many=True)


class ImpactResult(Schema):
    """What a text would do."""

    as_of = serializers.DateTimeField(help_text="When live work was read.")
    live = LiveImpact()
    history = HistoryImpact()


class Impact(Schema):
    """A question about a text, how far it is, and the answer."""

    id = serializers.CharField()
    state = serializers.ChoiceField(ImpactRun.State.values)
    base = serializers.IntegerField(help_text="The active version it compares with; 0: none.")
    author = serializers.CharField()
    done = serializers.IntegerField(help_text="Of `total` steps.")
    total = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True, help_text="Why there is no answer.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    result = ImpactResult(allow_null=True, help_text="Once the state is `done`.")


EXAMPLE_RUN = {
    "id": "7",
    "state": "running",
    "base": 42,
    "author": "ops@example.com",
    "done": 20000,
    "total": 200700,
    "error": "",
    "created_at": "2026-01-31T12:00:00.250000Z",
    "started_at": "2026-01-31T12:00:00.300000Z",
    "ended_at": None,
    "result": None,
}
