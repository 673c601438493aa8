"""End sessions of the signed-in person."""

from __future__ import annotations

from django.db import transaction

from console.errors import NotFound
from console.orgs.audit import record_person
from console.orgs.models import BrowserSession, User
from console.orgs.token_secrets import digest_of
from console.reading import is_storable


def end_session(user: User, uid: str) -> None:
    """End the session *uid* of *user*; raises NotFound."""
    with transaction.atomic():
        ended = 0
        if is_storable(uid):
            ended, _ = BrowserSession.objects.filter(user=user, uid=uid).delete()
        if not ended:
            raise NotFound("There is no such session; it may have ended already.")
        record_person(user, "session.revoke", after={"count": 1})


def end_other_sessions(user: User, session_key: str | None) -> int:
    """End all sessions of *user* but the one with *session_key*, if any; return how many."""
    with transaction.atomic():
        others = BrowserSession.objects.filter(user=user)
        if session_key is not None:
            others = others.exclude(pk=digest_of(session_key))
        ended, _ = others.delete()
        if ended:
            record_person(user, "session.revoke", after={"count": ended})
    return ended
