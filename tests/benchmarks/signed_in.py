"""Sessions of signed-in members of an organization; runs inside a management command."""

from __future__ import annotations

import json
import sys

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password

from console.orgs.models import Membership, Organization, User
from console.orgs.sessions import SessionStore

_BACKEND = "django.contrib.auth.backends.ModelBackend"


def sign_in(slug: str, roles: list[str]) -> None:
    """Add a new member of *slug* for each of *roles*, and print their session keys as JSON."""
    org = Organization.objects.get(slug=slug)
    keys = []
    # The password is never used; hashing a real one for each member would take minutes.
    password = make_password(None)
    for number, role in enumerate(roles):
        user = User.objects.create(email=f"{role}-{number}@example.org", password=password)
        Membership.objects.create(org=org, user=user, role=role)
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = _BACKEND
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        keys.append(session.session_key)
    sys.stdout.write(json.dumps(keys))
