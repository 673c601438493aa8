"""A settable clock in place of Django's `timezone.now`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from unittest.mock import patch

from django.apps import apps
from django.db.models import Field
from django.utils import timezone


@dataclass(slots=True)
class Clock:
    """The current time of the settable clock."""

    now: datetime


@contextmanager
def clock_at(now: datetime) -> Iterator[Clock]:
    """Set the clock, also for the defaults of fields that refer to `timezone.now` itself."""
    clock, asked = Clock(now), timezone.now
    fields = [
        field
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, Field) and field.default is asked
    ]

    def default(value: object) -> None:
        for field in fields:
            field.default = value
            # Django caches the default on its first use.
            field.__dict__.pop("_get_default", None)

    with patch.object(timezone, "now", lambda: clock.now):
        default(lambda: clock.now)
        try:
            yield clock
        finally:
            default(asked)
