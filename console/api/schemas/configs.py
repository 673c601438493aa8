"""Schemas of configs: checks, versions and differences."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Problem, Range, Schema, page_of
from console.configs.models import ConfigVersion
from console.engine.diff import ChangeKind, Line, Noun
from console.dialects import default_dialect, dialects
from console.dialects.diagnostics import Severity
from console.dialects.wording import listed

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


class ConfigText(Schema):
    """A text to check."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)


class ConfigCheck(Schema):
    """What was found in a text."""

    ok = serializers.BooleanField(help_text="Whether it may be applied.")
    diagnostics = Diagnostic(many=True, help_text="What stops an apply.")
    lints = Diagnostic(many=True, help_text="What only deserves a look.")


class ConfigApply(Schema):
    """A text to apply."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField(allow_blank=True)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)
    expected_version = serializers.IntegerField(
        min_value=0, help_text="The active version this text was made from; 0 before the first."
    )


class ConfigRollback(Schema):
    """A version to go back to."""

    version = serializers.IntegerField(min_value=1)
    expected_version = serializers.IntegerField(min_value=0)
    message = serializers.CharField(max_length=500, required=False, allow_blank=True)


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
    created_at = serializers.DateTimeField()
    is_active = serializers.BooleanField()


VersionPage = page_of(VersionSummary, "VersionPage")


class Change(Schema):
    """One object that differs in meaning."""

    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    object = serializers.ChoiceField([noun.value for noun in Noun])
    name = serializers.CharField()
    parts = serializers.ListField(child=serializers.CharField())
    range = Range(
        allow_null=True, help_text="In the newer text, or in the older one of a removed object."
    )


class Version(VersionSummary):
    """A version with its text and what it changed."""

    text = serializers.CharField(allow_blank=True)
    changes = Change(many=True, help_text="Against the version before.")


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
        "changes": Change(many=True),
    },
)


class StaleProblem(Problem):
    """It does not fit the present state; with `stale_version` it says what came since."""

    expected_version = serializers.IntegerField(required=False)
    active_version = serializers.IntegerField(required=False)
    newer = VersionSummary(many=True, required=False, help_text="Newest first.")


class RejectedProblem(Problem):
    """The config has errors."""

    diagnostics = Diagnostic(many=True)
    lints = Diagnostic(many=True)


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
    "created_at": "2026-01-31T12:00:00.250000Z",
    "is_active": True,
    "text": EXAMPLE_TEXT,
    "changes": [
        {
            "kind": "added",
            "object": "queue",
            "name": "default",
            "parts": [],
            "range": {"line": 2, "column": 5, "end_line": 2, "end_column": 18},
        }
    ],
}
