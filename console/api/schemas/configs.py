"""Schemas of configs: checks, versions and differences."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Problem, Range, Schema, page_of
from console.configs.models import ConfigVersion
from console.dialects import default_dialect, dialects
from console.dialects.diagnostics import Severity
from console.dialects.objects import shared_vocabulary
from console.dialects.wording import listed
from console.engine.diff import ChangeKind, Limit, Line
from console.engine.model.consequences import ConsequenceCode

#: What the parameter says of itself.
DIALECT = (
    f"The config language, {listed(f'`{name}`' for name in dialects())}; "
    f"`{default_dialect().name}` when absent."
)


class TextEdit(Schema):
    """Replace the text of a range; an empty range inserts."""

    range = Range()
    new_text = serializers.CharField(allow_blank=True)


class Fix(Schema):
    """A repair that can be applied as it is."""

    title = serializers.CharField()
    edits = TextEdit(many=True)


class Diagnostic(Schema):
    """One finding about one place of a text."""

    code = serializers.CharField(help_text="Stable: three letters and three digits.")
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    message = serializers.CharField()
    path = serializers.CharField(allow_blank=True)
    range = Range()
    hint = serializers.CharField(allow_blank=True)
    fixes = Fix(many=True)
    doc_url = serializers.URLField(help_text="The page that explains the code.")
    live = serializers.BooleanField(
        help_text="Whether it depends on more than the text: on what runs, what was taken in "
        "during the last 30 days, or what was applied before."
    )


class ConfigText(Schema):
    """A text to check."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)


class ConfigCheck(Schema):
    """What was found in a text."""

    ok = serializers.BooleanField(help_text="Whether it may be applied.")
    diagnostics = Diagnostic(many=True, help_text="What stops an apply.")
    lints = Diagnostic(many=True, help_text="What only deserves a look.")


#: What apply and roll back say of the same fields.
_ACCEPT = (
    "What of the consequences is accepted, by code. Nothing is asked when it is absent; give [] "
    "to be refused with the list of them."
)
_REVERT = (
    "Minutes after which the version before comes back unless this one is confirmed with "
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
    """Something that follows from an apply."""

    code = serializers.ChoiceField([code.value for code in ConsequenceCode])
    message = serializers.CharField()


class AppliedConsequence(Consequence):
    """Something that followed from an apply."""

    accepted = serializers.BooleanField(
        help_text="Whether `accept` had its code; false where nothing had to be accepted."
    )


class ConfigApply(Schema):
    """A text to apply."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=0, help_text="The active version this text was made from; 0 before the first."
    )
    accept = _accept()
    revert_after_minutes = _revert_after()


class ConfigRollback(Schema):
    """A version to go back to."""

    version = serializers.IntegerField(min_value=1)
    expected_version = serializers.IntegerField(min_value=0)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    accept = _accept()
    revert_after_minutes = _revert_after()


class ConfigConfirm(Schema):
    """A version to keep."""

    version = serializers.IntegerField(min_value=1, help_text="The one that waits.")


class ConfigTimer(Schema):
    """A version that is taken back unless somebody confirms it."""

    version = serializers.IntegerField()
    back_to = serializers.IntegerField(help_text="The version whose text comes back otherwise.")
    reverts_at = serializers.DateTimeField()
    author = serializers.CharField(help_text="Who applied it so.")
    failed_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Since when the older text is known to have errors under today's rules: nothing "
        "is taken back then, and somebody has to decide.",
    )


class EffectDay(Schema):
    """What became of the workloads submitted in one day."""

    submitted = serializers.IntegerField()
    admitted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    wait_p50 = serializers.FloatField(
        allow_null=True, help_text="Of those admitted, in seconds; null when there are none."
    )
    wait_p95 = serializers.FloatField(allow_null=True)
    is_whole = serializers.BooleanField(
        help_text="False: only the workloads nearest to the version were looked at."
    )


class Effect(Schema):
    """What happened to work in the 24 hours before and after a version."""

    before = EffectDay()
    after = EffectDay()
    other_versions = serializers.IntegerField(help_text="Applied in the same two days.")


class VersionSummary(Schema):
    """A version without its text."""

    version = serializers.IntegerField()
    dialect = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(ConfigVersion.Kind.values)
    rolled_back_to = serializers.IntegerField(
        allow_null=True, help_text="The version whose text a rollback took."
    )
    author = serializers.CharField(help_text="E-mail address of a person, or name of a token.")
    via = serializers.ChoiceField(
        ConfigVersion.Via.values, help_text="What its author used; `timer`: nobody confirmed."
    )
    consequences = AppliedConsequence(many=True, help_text="What followed from the apply.")
    effect = Effect(allow_null=True, help_text="Null until the day after it is over.")
    created_at = serializers.DateTimeField()
    is_active = serializers.BooleanField()


VersionPage = page_of(VersionSummary, "VersionPage")


# `from` is a word of Python, so the schema is made by its dict.
ChangeDetail = type(
    "ChangeDetail",
    (Schema,),
    {
        "__doc__": "One thing that differs.",
        "type": serializers.ChoiceField(
            ["field", "quota", "order", "followed"],
            help_text="A field, a number of a quota cell, the order of flavors, or an object that "
            "uses the new name of a renamed one.",
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
            help_text="Of a quota cell a number in the unit of the resource; null stands for "
            "unlimited, and it is absent where there is no such cell.",
        ),
        "to": serializers.JSONField(required=False, allow_null=True, help_text="As `from`."),
    },
)


class Change(Schema):
    """One object that differs in meaning."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    object = serializers.ChoiceField(shared_vocabulary().kinds)
    name = serializers.CharField()
    old_name = serializers.CharField(
        allow_null=True, help_text="Its name in the older config, where that is another one."
    )
    parts = serializers.ListField(
        child=serializers.CharField(), help_text="The fields that differ, of what is in both."
    )
    details = ChangeDetail(
        many=True, help_text="Of an added or removed object: what it says beyond defaults."
    )
    range = Range(
        allow_null=True, help_text="In the newer text, or in the older one of a removed object."
    )


class Version(VersionSummary):
    """A version with its text and what it changed."""

    text = serializers.CharField(allow_blank=True)
    changes = Change(
        many=True,
        help_text="Against the version before, the first 1,000; the pages of the diff have all.",
    )
    changes_total = serializers.IntegerField(help_text="How many changes there are.")


class AppliedVersion(Version):
    """The version that is active after an apply or a rollback."""

    is_new = serializers.BooleanField(
        help_text="False: the active version had this very text already, and nothing was applied."
    )
    lints = Diagnostic(
        many=True, help_text="What only deserves a look, as a check of the text gives it."
    )


class DiffRow(Schema):
    """One row of a unified diff."""

    kind = serializers.ChoiceField([kind.value for kind in Line])
    old = serializers.IntegerField(allow_null=True, help_text="Line in the older text.")
    new = serializers.IntegerField(allow_null=True, help_text="Line in the newer text.")
    text = serializers.CharField(allow_blank=True)


# `from` is a word of Python, so the schema is made by its dict.
VersionDiff = type(
    "VersionDiff",
    (Schema,),
    {
        "__doc__": "How two versions differ.",
        "from": serializers.IntegerField(),
        "to": serializers.IntegerField(),
        "text": DiffRow(many=True, help_text="Empty when the texts are equal."),
        "text_total": serializers.IntegerField(help_text="How many rows there are in all."),
        "changes": Change(many=True),
        "changes_total": serializers.IntegerField(help_text="How many changes there are in all."),
        "next": serializers.CharField(
            allow_null=True, help_text="Cursor of the rest of both; null when there is none."
        ),
    },
)


class StaleProblem(Problem):
    """It does not fit the present state; with `stale_version` it says what came since."""

    expected_version = serializers.IntegerField(required=False)
    active_version = serializers.IntegerField(required=False)
    newer = VersionSummary(many=True, required=False, help_text="Newest first.")


class RefusedConsequence(Consequence):
    """A consequence, and how it has to be accepted in the browser."""

    level = serializers.IntegerField(
        help_text="2: by name. 3: by name, and by typing the number of the version."
    )


class RejectedProblem(Problem):
    """The config has errors, or consequences that were not accepted."""

    diagnostics = Diagnostic(many=True, required=False)
    lints = Diagnostic(many=True, required=False)
    consequences = RefusedConsequence(
        many=True, required=False, help_text="All of them, with `consequences_not_accepted`."
    )
    missing = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The codes not accepted."
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
