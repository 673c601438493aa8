"""Tasks of configs: five lines each, they call one service."""

from __future__ import annotations

from celery import shared_task

from console.configs.services.revert_unconfirmed import revert_unconfirmed


@shared_task(name="console.configs.tasks.revert")
def revert() -> None:
    """Take back what nobody confirmed in time."""
    revert_unconfirmed()
