"""Celery tasks of capacity; each calls one service."""

from __future__ import annotations

from celery import shared_task

from console.capacity.services.mark_silent_clusters import mark_silent_clusters


@shared_task(name="console.capacity.tasks.mark_silent")
def mark_silent() -> None:
    """Mark the clusters whose heartbeats have stopped."""
    mark_silent_clusters()
