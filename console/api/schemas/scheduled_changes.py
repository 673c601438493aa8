"""Schemas of scheduled changes."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.api.schemas.configs import DIALECT
from console.configs.models import ScheduledChange
from console.dialects.editable_numbers import COHORT
from console.engine.diff.objects import QUEUE
from console.engine.model.consequences import ConsequenceCode


class ScheduledApplyIn(Schema):
    """A text to apply at a time."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField()
    expected_version = serializers.IntegerField(
        min_value=0, help_text="The active version; 0 if there is none."
    )
    apply_at = serializers.DateTimeField(
        help_text="Later than now, and within a year. A time without a zone is in UTC."
    )
    message = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, max_length=500
    )
    accept = serializers.ListField(
        child=serializers.ChoiceField([code.value for code in ConsequenceCode]),
        required=False,
        allow_null=True,
        help_text="Codes of accepted consequences. At its time, an apply with others is not made. "
        "Without this field, no consequence has to be accepted.",
    )


class ScheduledTimeIn(Schema):
    """Another time of a scheduled change."""

    due_at = serializers.DateTimeField(
        help_text="Later than now, and within a year. A time without a zone is in UTC."
    )


class ScheduledObject(Schema):
    """The object of a temporary change."""

    kind = serializers.ChoiceField([QUEUE, COHORT])
    name = serializers.CharField(help_text="Its name in the version that began the change.")


class TemporaryNumber(Schema):
    """A number of a temporary change."""

    field = serializers.CharField()
    flavor = serializers.CharField(allow_blank=True)
    resource = serializers.CharField(allow_blank=True)
    title = serializers.CharField()
    before = serializers.CharField(help_text="The value after the end, as written in the text.")
    after = serializers.CharField(help_text="The value until the end, as written in the text.")


class ScheduledChangeOut(Schema):
    """A scheduled change."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(
        ScheduledChange.Kind.values,
        help_text="`apply`: a text becomes the active version. `end`: a temporary change ends.",
    )
    state = serializers.ChoiceField(
        ScheduledChange.State.values,
        help_text="`proposed`: the text of a temporary change waits for approval. `superseded`: "
        "nothing was changed, because the config had changed. `failed`: see `problem`.",
    )
    due_at = serializers.DateTimeField()
    author = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    version = serializers.IntegerField(
        allow_null=True, help_text="The version that it made; null if it made none."
    )
    ended_at = serializers.DateTimeField(allow_null=True)
    ended_by = serializers.CharField(
        allow_null=True, help_text="The actor who canceled it or made it early."
    )
    problem = serializers.CharField(allow_null=True, help_text="Why it made no version.")
    begun_by = serializers.IntegerField(
        allow_null=True, help_text="The version that began a temporary change."
    )
    review = serializers.IntegerField(
        allow_null=True, help_text="The review request that proposed a temporary change."
    )
    object = ScheduledObject(allow_null=True, help_text="Null for an apply.")
    numbers = TemporaryNumber(many=True, help_text="Empty for an apply.")
    draft = serializers.IntegerField(allow_null=True, help_text="The draft of an apply.")
    base = serializers.IntegerField(
        allow_null=True, help_text="The version on which an apply was based; null for an end."
    )
    accept = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Codes of accepted consequences; null if none had to be accepted.",
    )


ScheduledChangePage = page_of(ScheduledChangeOut, "ScheduledChangePage")


class FullScheduledChange(ScheduledChangeOut):
    """A scheduled change with the text that it applies."""

    dialect = serializers.CharField(allow_null=True)
    text = serializers.CharField(allow_null=True, help_text="Null for an end.")


EXAMPLE_SCHEDULED = {
    "text": "resource_queues: []\n",
    "expected_version": 4,
    "apply_at": "2026-01-31T18:00:00Z",
    "message": "Night quota",
}
