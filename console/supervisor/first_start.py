"""The first start: the secret key, and in an empty database an owner with an organization."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass

from django.db import transaction

from console.home import Home
from console.orgs.models import User
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


def fill_empty_database(*, with_demo: bool) -> Welcome | None:
    """
    Create the owner and their organization; return None if accounts exist.

    The organization is the demo, or an empty one named `main`.
    """
    if User.objects.exists():
        return None
    password = generate_password()
    # In one transaction, so that after a failure the next start is a first start again.
    with transaction.atomic():
        owner = create_user(OWNER, password)
        if with_demo:
            demo.create(owner)
        else:
            create_org("main", "Main", owner)
    return Welcome(OWNER, password)
