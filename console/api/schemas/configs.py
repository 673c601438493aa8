"""Schemas of configs: checks, versions and differences."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Problem, Range, Schema, page_of
from console.configs.models import ConfigVersion, ScheduledChange
from console.dialects import default_dialect, dialects
from console.dialects.diagnostics import Severity
from console.dialects.objects import shared_vocabulary
from console.dialects.wording import listed
from console.engine.diff import ChangeKind, Limit, Line
from console.engine.model.consequences import ConsequenceCode

#: Description of the parameter `dialect`.
DIALECT = (
    f"The config language, {listed(f'`{name}`' for name in dialects())}. Default: "
    f"`{default_dialect().name}`."
)


class TextEdit(Schema):
    """A replacement of the text of a range; an empty range is an insertion."""

    range = Range()
    new_text = serializers.CharField(allow_blank=True)


class Fix(Schema):
    """A fix that can be applied unchanged."""

    title = serializers.CharField()
    edits = TextEdit(many=True)


class Diagnostic(Schema):
    """One problem at one place in a config text."""

    code = serializers.CharField(help_text="Stable code: three letters and three digits.")
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    message = serializers.CharField()
    path = serializers.CharField(allow_blank=True)
    range = Range()
    hint = serializers.CharField(allow_blank=True)
    fixes = Fix(many=True)
    doc_url = serializers.URLField(help_text="URL of the documentation of the code.")
    live = serializers.BooleanField(
        help_text="Whether the diagnostic depends on data besides the text: running workloads, "
        "workloads submitted in the last 30 days, or earlier versions."
    )
    scope = Range(
        allow_null=True,
        help_text="The object, if the fixes are for all of it; an editor offers them there.",
    )
    original = serializers.CharField(
        allow_blank=True,
        help_text="Message of the scheduler that the language comes from; empty if it has none.",
    )


class ConfigText(Schema):
    """A config text to check."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)


class ConfigCheck(Schema):
    """The diagnostics of a text."""

    ok = serializers.BooleanField(help_text="Whether the text can be applied.")
    diagnostics = Diagnostic(many=True, help_text="Errors, which prevent an apply.")
    lints = Diagnostic(many=True, help_text="Warnings, which do not prevent an apply.")


#: Descriptions of the fields that apply and roll back share.
_ACCEPT = (
    "Codes of the accepted consequences. If absent, consequences need no acceptance; `[]` "
    "accepts none, and the error lists all of them."
)
_REVERT = (
    "Minutes after which the previous version is restored unless this one is confirmed with "
    "`POST config/confirm`, 1 to 1440."
)


def _accept() -> serializers.ListField:
    codes = serializers.ChoiceField([code.value for code in ConsequenceCode])
    return serializers.ListField(child=codes, required=False, allow_null=True, help_text=_ACCEPT)


def _revert_after() -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=1, max_value=1440, required=False, allow_null=True, help_text=_REVERT
    )


class Consequence(Schema):
    """An effect of an apply."""

    code = serializers.ChoiceField([code.value for code in ConsequenceCode])
    message = serializers.CharField()


class AppliedConsequence(Consequence):
    """An effect of a past apply."""

    accepted = serializers.BooleanField(
        help_text="Whether `accept` contained the code; false if no acceptance was required."
    )


class ConfigApply(Schema):
    """A config text to apply."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=0,
        help_text="The active version on which the text is based; 0 before the first apply.",
    )
    accept = _accept()
    revert_after_minutes = _revert_after()


class ChangedNumber(Schema):
    """Another value for one number of a queue."""

    field = serializers.CharField(help_text="The field as the text has it: `nominalQuota`.")
    flavor = serializers.CharField(
        required=False, allow_blank=True, help_text="Absent if the language has no flavors."
    )
    resource = serializers.CharField(
        required=False, allow_blank=True, help_text="Absent if the number is for no resource."
    )
    value = serializers.CharField(
        max_length=100, help_text="The number in the syntax of the language: `64` or `64Gi`."
    )


class QuotaChange(Schema):
    """Other numbers of a queue."""

    numbers = ChangedNumber(many=True)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=1, help_text="The active version, whose numbers are changed."
    )
    accept = _accept()
    until = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the numbers get their former values again: later than now, and within a "
        "year. A time without a zone is in UTC.",
    )


class RuleMove(Schema):
    """Another position of a rule."""

    rule = serializers.IntegerField(min_value=0, help_text="Index of the rule, from 0.")
    to = serializers.IntegerField(min_value=0, help_text="Its index after the move, from 0.")
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=1, help_text="The active version, whose rule is moved."
    )
    accept = _accept()


class NewQueue(Schema):
    """A queue to add, with what routes workloads to it."""

    name = serializers.CharField(
        max_length=500, help_text="The name of the queue; under a parent, without its path."
    )
    settings = serializers.DictField(
        required=False,
        help_text="The other fields of the form, each a text or a list of texts. Native: "
        "`cohort_name`, `conditions` (such as `team=research`) and `position` of the rule, from 1. "
        "Kueue: `cohort`, `namespace` and `local_queue`. KAI: `parentQueue` and `priority`. "
        "YuniKorn: `parent`, `users`, `groups` and `position` of their placement rule.",
    )
    numbers = ChangedNumber(many=True, required=False)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=1, help_text="The active version, to which the queue is added."
    )
    accept = _accept()


EXAMPLE_NEW_QUEUE = {
    "name": "vision",
    "settings": {"cohort_name": "research", "conditions": ["team=vision"]},
    "numbers": [{"field": "nominal_quota", "flavor": "gpu_pool", "resource": "gpu", "value": "16"}],
    "message": "A queue for the vision team",
    "expected_version": 3,
}

EXAMPLE_QUOTA_CHANGE = {
    "numbers": [
        {
            "field": "nominalQuota",
            "flavor": "reserved",
            "resource": "nvidia.com/gpu",
            "value": "12",
        }
    ],
    "message": "Four more GPUs",
    "expected_version": 3,
}


class ConfigRollback(Schema):
    """A version to roll back to."""

    version = serializers.IntegerField(min_value=1)
    expected_version = serializers.IntegerField(min_value=0)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    accept = _accept()
    revert_after_minutes = _revert_after()


class ConfigConfirm(Schema):
    """A version to confirm."""

    version = serializers.IntegerField(
        min_value=1, help_text="The version that waits for confirmation."
    )


class ConfigTimer(Schema):
    """A version that is reverted unless it is confirmed."""

    version = serializers.IntegerField()
    back_to = serializers.IntegerField(help_text="The version whose text is restored otherwise.")
    reverts_at = serializers.DateTimeField()
    author = serializers.CharField(help_text="Author of the apply.")
    failed_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When the older text was found to have errors under the current checks. The "
        "version is then not reverted; confirm it or roll back.",
    )


class EffectDay(Schema):
    """Outcomes of the workloads submitted in one day."""

    submitted = serializers.IntegerField()
    admitted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    wait_p50 = serializers.FloatField(
        allow_null=True, help_text="Of the admitted workloads, in seconds; null if there are none."
    )
    wait_p95 = serializers.FloatField(allow_null=True)
    is_whole = serializers.BooleanField(
        help_text="False if only the workloads nearest to the version were evaluated."
    )


class Effect(Schema):
    """Outcomes of workloads in the 24 hours before and after a version."""

    before = EffectDay()
    after = EffectDay()
    other_versions = serializers.IntegerField(
        help_text="Other versions applied in the same two days."
    )


class Temporary(Schema):
    """The end of a temporary change."""

    scheduled_change = serializers.IntegerField()
    until = serializers.DateTimeField()
    state = serializers.ChoiceField(ScheduledChange.State.values)


class VersionSummary(Schema):
    """A version without its text."""

    version = serializers.IntegerField()
    dialect = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(ConfigVersion.Kind.values)
    rolled_back_to = serializers.IntegerField(
        allow_null=True, help_text="The version whose text a rollback restored."
    )
    author = serializers.CharField(help_text="E-mail address of a person, or name of a token.")
    via = serializers.ChoiceField(
        ConfigVersion.Via.values,
        help_text="How the version was applied; `timer`: the previous version was not confirmed; "
        "`schedule`: by a scheduled change.",
    )
    consequences = AppliedConsequence(many=True, help_text="The effects of the apply.")
    effect = Effect(
        allow_null=True, help_text="Null until the 24 hours after the version have passed."
    )
    created_at = serializers.DateTimeField()
    is_active = serializers.BooleanField()
    temporary = Temporary(
        allow_null=True, help_text="The temporary change that the version began; null for others."
    )
    scheduled_change = serializers.IntegerField(
        allow_null=True, help_text="The scheduled change that made the version."
    )


VersionPage = page_of(VersionSummary, "VersionPage")


# `from` is a reserved word in Python, so the schema is created with `type`.
ChangeDetail = type(
    "ChangeDetail",
    (Schema,),
    {
        "__doc__": "One difference in an object.",
        "type": serializers.ChoiceField(
            ["field", "quota", "order", "followed"],
            help_text="`field`: a field. `quota`: a number of a quota cell. `order`: the order of "
            "flavors. `followed`: an object that refers to the new name of a renamed one.",
        ),
        "path": serializers.ListField(child=serializers.CharField(), required=False),
        "flavor": serializers.CharField(required=False),
        "resource": serializers.CharField(required=False),
        "limit": serializers.ChoiceField([limit.value for limit in Limit], required=False),
        "resources": serializers.ListField(child=serializers.CharField(), required=False),
        "noun": serializers.ChoiceField(shared_vocabulary().kinds, required=False),
        "name": serializers.CharField(required=False),
        "from": serializers.JSONField(
            required=False,
            allow_null=True,
            help_text="For a quota cell, a number in the unit of the resource. Null means "
            "unlimited; absent means that the cell does not exist.",
        ),
        "to": serializers.JSONField(
            required=False, allow_null=True, help_text="In the form of `from`."
        ),
    },
)


class Change(Schema):
    """One object whose meaning differs."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    object = serializers.ChoiceField(shared_vocabulary().kinds)
    name = serializers.CharField()
    old_name = serializers.CharField(
        allow_null=True, help_text="Its name in the older config, if it was renamed."
    )
    parts = serializers.ListField(
        child=serializers.CharField(),
        help_text="The fields that differ, for an object in both configs.",
    )
    details = ChangeDetail(
        many=True, help_text="For an added or removed object: the fields that are not defaults."
    )
    range = Range(
        allow_null=True,
        help_text="Place in the newer text; for a removed object, in the older text.",
    )


class Version(VersionSummary):
    """A version with its text and its changes."""

    text = serializers.CharField(allow_blank=True)
    changes = Change(
        many=True,
        help_text="The first 1,000 changes against the previous version; the diff has all changes.",
    )
    changes_total = serializers.IntegerField(help_text="Total number of changes.")


class AppliedVersion(Version):
    """The version that is active after an apply or a rollback."""

    is_new = serializers.BooleanField(
        help_text="False if the active version already had this text and nothing was applied."
    )
    lints = Diagnostic(many=True, help_text="Warnings, as returned by a check of the text.")


class DiffRow(Schema):
    """One row of a unified diff."""

    kind = serializers.ChoiceField([kind.value for kind in Line])
    old = serializers.IntegerField(allow_null=True, help_text="Line in the older text.")
    new = serializers.IntegerField(allow_null=True, help_text="Line in the newer text.")
    text = serializers.CharField(allow_blank=True)


# `from` is a reserved word in Python, so the schema is created with `type`.
VersionDiff = type(
    "VersionDiff",
    (Schema,),
    {
        "__doc__": "The differences between two versions.",
        "from": serializers.IntegerField(),
        "to": serializers.IntegerField(),
        "text": DiffRow(many=True, help_text="Empty when the texts are equal."),
        "text_total": serializers.IntegerField(help_text="Total number of rows."),
        "changes": Change(many=True),
        "changes_total": serializers.IntegerField(help_text="Total number of changes."),
        "next": serializers.CharField(
            allow_null=True,
            help_text="Cursor of the remaining rows and changes; null on the last page.",
        ),
    },
)


class StaleProblem(Problem):
    """A conflict with the current state; with `stale_version`, it lists the newer versions."""

    expected_version = serializers.IntegerField(required=False)
    active_version = serializers.IntegerField(required=False)
    newer = VersionSummary(many=True, required=False, help_text="Newest first.")


class RefusedConsequence(Consequence):
    """A consequence, and how it is accepted in the browser."""

    level = serializers.IntegerField(
        help_text="1: it is only stated, and needs no acceptance. 2: by a checkbox. 3: by a "
        "checkbox and by typing the number of the version."
    )


class RejectedProblem(Problem):
    """The config has errors, or consequences that were not accepted."""

    diagnostics = Diagnostic(many=True, required=False)
    lints = Diagnostic(many=True, required=False)
    consequences = RefusedConsequence(
        many=True, required=False, help_text="All consequences, with `consequences_not_accepted`."
    )
    missing = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The codes that were not accepted."
    )


EXAMPLE_TEXT = (
    "resource_queues:\n  - name: default\nscheduling_rules:\n  - resource_queue: default\n"
)
EXAMPLE_APPLY = {
    "dialect": "native",
    "text": EXAMPLE_TEXT,
    "message": "Admit everything",
    "expected_version": 0,
}
EXAMPLE_VERSION = {
    "version": 1,
    "dialect": "native",
    "message": "Admit everything",
    "kind": "apply",
    "rolled_back_to": None,
    "author": "ops@example.com",
    "via": "api",
    "consequences": [],
    "effect": None,
    "created_at": "2026-01-31T12:00:00.250000Z",
    "is_active": True,
    "temporary": None,
    "scheduled_change": None,
    "text": EXAMPLE_TEXT,
    "changes": [
        {
            "kind": "added",
            "object": "queue",
            "name": "default",
            "old_name": None,
            "parts": [],
            "details": [],
            "range": {"line": 2, "column": 5, "end_line": 2, "end_column": 18},
        }
    ],
    "changes_total": 1,
}
EXAMPLE_APPLIED = {**EXAMPLE_VERSION, "is_new": True, "lints": []}
