"""The start of tracing in a web or worker process, if it is enabled."""

from __future__ import annotations

from django.conf import settings


def start_tracing() -> None:
    """Trace the tasks and statements of this process and of the processes that it forks."""
    if settings.TRACING:
        from console.tracing import statements, tasks  # noqa: PLC0415

        tasks.connect()
        statements.connect()
