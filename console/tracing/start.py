"""What a process that answers requests or runs tasks does at its start, where traces are wanted."""

from __future__ import annotations

from django.conf import settings


def start_tracing() -> None:
    """Trace the tasks and statements of this process, and of those that it forks."""
    if settings.TRACING:
        from console.tracing import statements, tasks  # noqa: PLC0415

        tasks.connect()
        statements.connect()
