"""Migration of earlier accounts: accounts older than every invitation were made by commands."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from console.orgs.models import Proof, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.invite import invite

MIGRATION = import_module("console.orgs.migrations.0003_prove_accounts_of_commands")


@pytest.mark.parametrize("at_once", [1, 1_000])
def test_accounts_older_than_invitations_are_proven(
    at_once: int, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MIGRATION, "_AT_ONCE", at_once)
    now = timezone.now()
    made = {
        "command@here.example": now,
        "before@here.example": now - timedelta(days=1),
        "after@here.example": now + timedelta(days=1),
        "proved@here.example": now + timedelta(days=1),
    }
    for email, joined in made.items():
        User.objects.create_user(email, date_joined=joined)
    User.objects.filter(email="proved@here.example").update(proof=Proof.PROVIDER)
    for email in ("BEFORE@here.example", "After@here.example", "proved@here.example"):
        invite(owner, email, Role.VIEWER)
    for _ in range(2):
        MIGRATION.prove(apps, None)
        found = dict(User.objects.filter(email__in=made).values_list("email", "proof"))
        assert found == {
            "command@here.example": "operator",
            "before@here.example": "operator",
            "after@here.example": "unknown",
            "proved@here.example": "provider",
        }
