"""Celery tasks of accounting: they pass the time to services, one task per organization."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from console.accounting.services.fold_accounts import due_for_folding, fold_accounts
from console.accounting.services.forget_accounts import forget_accounts
from console.celery import BACKGROUND
from console.queue_backlog import send_to_each

_FOLD_ONE = "console.accounting.tasks.fold_one"


@shared_task(name="console.accounting.tasks.fold")
def fold() -> None:
    """Enqueue the folds of all organizations whose accounts are due."""
    send_to_each(_FOLD_ONE, due_for_folding(timezone.now()), BACKGROUND, expires=60)


@shared_task(name=_FOLD_ONE)
def fold_one(org_id: int) -> None:
    """Count the accounts of one organization until now."""
    fold_accounts(org_id, timezone.now())


@shared_task(name="console.accounting.tasks.forget")
def forget() -> None:
    """Sum up and delete expired rows."""
    forget_accounts(timezone.now())
