"""A clock that can be turned: whatever asks Django for the time is told the one that was set."""

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
    """The time that it is said to be."""

    now: datetime


@contextmanager
def turned(now: datetime) -> Iterator[Clock]:
    """Set the clock, also for the defaults of fields, which hold the function itself."""
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
            # Django keeps the default that it found first.
            field.__dict__.pop("_get_default", None)

    with patch.object(timezone, "now", lambda: clock.now):
        default(lambda: clock.now)
        try:
            yield clock
        finally:
            default(asked)
