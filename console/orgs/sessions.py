"""
Sessions in the database, with their person, and address and time of the last request.

The key in the cookie is not stored; rows are found by its digest.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from console.caller import current_caller
from console.orgs.models import BrowserSession, Membership
from console.orgs.queries import member_in_session
from console.orgs.token_secrets import digest_of

#: Accuracy of the last request of a session, which limits writes.
SEEN_EVERY = timedelta(minutes=1)


class SessionStore(DatabaseSessionStore):
    """Session store that looks up only keys of the valid form: PostgreSQL raises for a NUL."""

    def __init__(self, session_key: str | None = None) -> None:
        is_possible = session_key is not None and set(session_key) <= set(VALID_KEY_CHARS)
        super().__init__(session_key if is_possible else None)
        self._seen_at: datetime | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:  # type: ignore[override]
        """Return the model of sessions."""
        return BrowserSession

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:  # type: ignore[override]
        """Return the row of this session, to be written."""
        caller = current_caller()
        return BrowserSession(
            digest=digest_of(self._get_or_create_session_key()),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
            ip=caller.ip,
            agent=caller.agent,
        )

    def load(self) -> dict[str, Any]:
        """Return the content of the session; empty if the session does not exist any more."""
        row = self._rows(self.session_key).filter(expire_date__gt=timezone.now()).first()
        if row is None:
            # The next sign-in creates a new session.
            self._session_key = None
            return {}
        self._seen_at = row.last_seen_at
        return self.decode(row.session_data)

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session with this key."""
        return self._rows(session_key).exists()

    def delete(self, session_key: str | None = None) -> None:
        """End the session with this key, by default the current one; it may have ended already."""
        self._rows(session_key or self.session_key).delete()

    @staticmethod
    def _rows(session_key: str | None) -> QuerySet[BrowserSession]:
        if session_key is None:
            return BrowserSession.objects.none()
        return BrowserSession.objects.filter(pk=digest_of(session_key))

    def member_of(self, slug: str) -> Membership | None:
        """
        Return the signed-in person as member of the organization *slug*, in one query.

        None means that the caller has to use Django's authentication, which reports or repairs the
        problem.

        The checks are those of Django: an existing session that has not expired, an active
        account, and an unchanged password.
        """
        if self.session_key is None:
            return None
        member = member_in_session(digest_of(self.session_key), slug, timezone.now())
        if member is None:
            return None
        held = self.decode(member.session_data)  # type: ignore[attr-defined]
        is_theirs = (
            held.get(SESSION_KEY) == str(member.user_id)
            and held.get(BACKEND_SESSION_KEY) in settings.AUTHENTICATION_BACKENDS
            and constant_time_compare(
                held.get(HASH_SESSION_KEY, ""), member.user.get_session_auth_hash()
            )
        )
        if not is_theirs:
            return None
        self.accessed = True
        return member

    def note_seen(self) -> None:
        """Record time and address of the request, unless they were written recently."""
        now = timezone.now()
        if self._seen_at is not None and self._seen_at < now - SEEN_EVERY:
            caller = current_caller()
            self._rows(self.session_key).update(last_seen_at=now, ip=caller.ip, agent=caller.agent)
