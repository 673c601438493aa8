"""Celery tasks of retention: create and drop partitions."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from console.retention.partitions.create_ahead import create_ahead
from console.retention.partitions.drop_expired import drop_expired


@shared_task(name="console.retention.tasks.make_partitions")
def make_partitions() -> None:
    """Create partitions in advance."""
    if settings.PARTITION_ROWS:
        create_ahead(timezone.now())


@shared_task(name="console.retention.tasks.drop_partitions")
def drop_partitions() -> None:
    """Drop expired partitions."""
    if settings.PARTITION_ROWS:
        drop_expired(timezone.now())
