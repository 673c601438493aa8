"""
A settable clock in place of Django's `timezone.now`, to simulate the past.

It holds for the whole process, so only a process without other threads may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

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
    clock, real = Clock(now), timezone.now
    fields = [
        field
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, Field) and field.default is real
    ]

    def read() -> datetime:
        return clock.now

    def replace(function: object) -> None:
        vars(timezone)["now"] = function
        for field in fields:
            field.default = function
            # Django caches the default on its first use.
            field.__dict__.pop("_get_default", None)

    replace(read)
    try:
        yield clock
    finally:
        replace(real)
