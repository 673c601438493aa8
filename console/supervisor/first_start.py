"""The first start: the secret key, and in an empty database an owner with an organization."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from console.home import Home
from console.orgs.models import Proof, User
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user, generate_password
from console.supervisor import demo

OWNER = "owner@localhost"


@dataclass(frozen=True, slots=True)
class Welcome:
    """The credentials for the first sign-in; the password is not stored."""

    email: str
    password: str


def keep_secret_key(home: Home) -> None:
    """Generate the secret key in the state folder, unless it exists."""
    try:
        descriptor = os.open(home.secret_key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(50) + "\n")


def fill_empty_database(*, with_demo: bool, say: Callable[[str], object]) -> None:
    """
    Create the owner, without a password, and their organization, unless accounts exist.

    The organizations are those of the demo, or an empty one named `main`. *say* is called with the
    progress. Other processes of the product must not run yet: on SQLite they could not write.
    """
    if User.objects.exists():
        return
    # In one transaction, so that after a failure the next start is a first start again.
    with transaction.atomic():
        owner = create_user(OWNER, None)
        owner.can_create_orgs = True
        owner.save(update_fields=["can_create_orgs"])
        if with_demo:
            demo.create(owner, timezone.now(), say)
        else:
            create_org("main", "Main", owner)


def welcome_owner() -> Welcome | None:
    """
    Set the password of the owner and return it, or None if an earlier start has.

    A start that fails before this leaves it to the next one.
    """
    owner = User.objects.filter(email=OWNER, proof=Proof.OPERATOR, last_login=None).first()
    if owner is None or owner.has_usable_password():
        return None
    password, before = generate_password(), owner.password
    owner.set_password(password)
    # If two supervisors start at once with the same database, one of them sets it.
    if not User.objects.filter(pk=owner.pk, password=before).update(password=owner.password):
        return None
    return Welcome(OWNER, password)
