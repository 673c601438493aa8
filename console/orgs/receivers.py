"""Audit entries for sign-ins, sign-outs and failed sign-ins, for all sign-in methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver

from console.orgs.audit import record_person
from console.orgs.models import User


@receiver(user_logged_in)
def signed_in(user: User, **_: Any) -> None:
    """Record that a person signed in."""
    record_person(user, "session.sign_in")


@receiver(user_logged_out)
def signed_out(user: User | None, **_: Any) -> None:
    """Record that a person signed out; a session that has already ended has no user."""
    if user is not None:
        record_person(user, "session.sign_out")


@receiver(user_login_failed)
def refused(credentials: Mapping[str, Any], **_: Any) -> None:
    """Record a wrong password for each account of the address, in its own organizations only."""
    for account in User.objects.with_address(credentials.get("username")):
        record_person(account, "session.sign_in_failed")
