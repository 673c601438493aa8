"""Celery tasks of organizations; each calls one service."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from console.orgs.services.forget_audit import forget_audit
from console.orgs.services.forget_sessions import forget_sessions
from console.orgs.services.seal_audit import seal_audit


@shared_task(name="console.orgs.tasks.seal")
def seal() -> None:
    """Seal new audit entries, and delete expired ones."""
    seal_audit()
    forget_audit(settings.AUDIT_RETENTION_DAYS)


@shared_task(name="console.orgs.tasks.forget")
def forget() -> None:
    """Delete expired sessions."""
    forget_sessions()
