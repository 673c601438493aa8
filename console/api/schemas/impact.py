"""Schemas of impact runs: the effects of a config text."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import ReasonCode, Schema
from console.configs.models import ImpactRun
from console.engine.impact import DoubtKind, Exposure, Fit, HistoryOutcome, LiveOutcome, Loss


class WorkloadRef(Schema):
    """A workload, as far as you may see it."""

    id = serializers.CharField(allow_null=True, help_text="Null if you may not see the workload.")
    name = serializers.CharField(help_text="Name of the workload, or a placeholder.")


class AffectedWorkload(Schema):
    """A workload that would be affected."""

    id = serializers.CharField()
    name = serializers.CharField()
    queue = serializers.CharField(allow_null=True, help_text="The current queue.")
    to = serializers.CharField(allow_null=True, help_text="The queue under the new config.")
    reason = ReasonCode(allow_null=True, help_text="Reason of the new decision, if there is one.")
    losses = serializers.ListField(
        child=serializers.ChoiceField([*map(str, Loss), *map(str, Exposure)]),
        help_text="Losses of the workload, and new reasons for which it can be preempted.",
    )
    preemptor = WorkloadRef(
        allow_null=True, help_text="The workload for which it would be preempted."
    )


class LiveGroup(Schema):
    """Affected workloads with the same outcome."""

    outcome = serializers.ChoiceField([outcome.value for outcome in LiveOutcome])
    count = serializers.IntegerField()
    first = AffectedWorkload(many=True, help_text="At most 500 workloads.")


class OverQuota(Schema):
    """A queue whose use of a flavor-resource would exceed its nominal quota by more than now."""

    queue = serializers.CharField()
    flavor = serializers.CharField()
    resource = serializers.CharField()
    used = serializers.FloatField()
    nominal_before = serializers.FloatField(allow_null=True, help_text="Null means unlimited.")
    nominal_after = serializers.FloatField(allow_null=True, help_text="Null means unlimited.")


class LiveImpact(Schema):
    """Effects on running and pending workloads."""

    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    affected = serializers.IntegerField(
        required=False,
        help_text="The number of workloads with an outcome, some of which have several; absent "
        "from results of earlier releases.",
    )
    outcomes = LiveGroup(many=True, help_text="Outcomes without workloads are absent.")
    over = OverQuota(many=True, help_text="At most 100 entries.")
    over_count = serializers.IntegerField()


class OutcomeCount(Schema):
    """Recorded workloads with one outcome."""

    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()


class Standing(Schema):
    """Route of workloads in one config, and the result for a workload without competitors."""

    queue = serializers.CharField(allow_null=True)
    rule_index = serializers.IntegerField(allow_null=True)
    priority = serializers.IntegerField(allow_null=True)
    fit = serializers.ChoiceField([fit.value for fit in Fit])
    reason = ReasonCode()


class MissingFact(Schema):
    """A fact that was not recorded."""

    kind = serializers.ChoiceField([kind.value for kind in DoubtKind])
    key = serializers.CharField(
        allow_blank=True, help_text="Key of the label; empty for other facts."
    )


class ImpactShape(Schema):
    """Recorded workloads of one shape."""

    labels = serializers.DictField(child=serializers.CharField())
    namespace = serializers.CharField(allow_blank=True)
    user = serializers.CharField(
        allow_blank=True,
        help_text="Recorded if the language of the config reads users; empty otherwise.",
    )
    groups = serializers.ListField(child=serializers.CharField())
    requested_priority = serializers.IntegerField(allow_null=True)
    requests = serializers.DictField(child=serializers.FloatField())
    runs = serializers.IntegerField()
    last_seen = serializers.DateField()
    outcome = serializers.ChoiceField([outcome.value for outcome in HistoryOutcome])
    before = Standing()
    after = Standing(help_text="Result from the recorded facts, without missing ones.")
    doubts = MissingFact(many=True, help_text="Missing facts that cause `cannot_tell`.")


class Doubt(MissingFact):
    """A fact that was not recorded, its rules and flavors, and the undecided workloads."""

    rule_indexes = serializers.ListField(child=serializers.IntegerField())
    flavors = serializers.ListField(child=serializers.CharField())
    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()


class HistoryImpact(Schema):
    """Effects on recorded workloads."""

    window_days = serializers.IntegerField()
    is_complete = serializers.BooleanField(help_text="False if older shapes are left out.")
    shapes = serializers.IntegerField()
    runs = serializers.IntegerField()
    outcomes = serializers.DictField(child=OutcomeCount(), help_text="Counts by outcome, complete.")
    listed = serializers.IntegerField(help_text="Maximum number of rows for each outcome, by runs.")
    resources = serializers.ListField(
        child=serializers.CharField(),
        help_text="Resources for which the rows with the largest requests are added to each "
        "outcome.",
    )
    rows = ImpactShape(many=True, help_text="Shapes, those with the most runs first.")
    doubts = Doubt(many=True)


class ImpactResult(Schema):
    """The effects of a config text."""

    as_of = serializers.DateTimeField(help_text="When the live workloads were read.")
    live = LiveImpact()
    history = HistoryImpact()


class Impact(Schema):
    """An impact run: its progress and its result."""

    id = serializers.CharField()
    state = serializers.ChoiceField(ImpactRun.State.values)
    base = serializers.IntegerField(
        help_text="The active version of the comparison; 0 if no config is active."
    )
    author = serializers.CharField()
    done = serializers.IntegerField(help_text="Steps done, of `total`.")
    total = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True, help_text="The error of a failed run.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    result = ImpactResult(allow_null=True, help_text="The result; null until the state is `done`.")


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
