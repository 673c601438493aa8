"""Schemas of users and groups with what they use in each queue."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of


class UseOfResource(Schema):
    """What is used of one resource in a queue and below it, in its unit."""

    resource = serializers.CharField(
        allow_null=True, help_text="Null: running workloads are counted."
    )
    used = serializers.FloatField()
    limit = serializers.FloatField(allow_null=True, help_text="Null: no limit.")


class TightestUse(UseOfResource):
    """The limit of which the largest part is used."""

    queue = serializers.CharField()


class UseInQueue(Schema):
    """What a user or group uses in one queue and below it."""

    queue = serializers.CharField()
    lines = UseOfResource(many=True)


class UserOrGroup(Schema):
    """A user or group with what it uses in each queue."""

    name = serializers.CharField(
        help_text="`*` of a group: all users without a group that a limit names, together."
    )
    kind = serializers.ChoiceField(["user", "group"])
    tightest = TightestUse(allow_null=True, help_text="Null: no limit counts.")
    queues = UseInQueue(many=True, help_text="Each queue after the one above it.")


UserOrGroupPage = page_of(UserOrGroup, "UserOrGroupPage")
