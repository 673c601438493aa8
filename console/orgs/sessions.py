"""Sessions in the database, each with whose it is and where it was seen last."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.utils import timezone

from console.caller import present_caller
from console.orgs.models import BrowserSession

#: How exactly it is known when a session was seen, so that open pages do not become writes.
SEEN_EVERY = timedelta(minutes=1)


class SessionStore(DatabaseSessionStore):
    """Looks up only keys of the form it makes: PostgreSQL fails when it is asked for a NUL."""

    def __init__(self, session_key: str | None = None) -> None:
        is_possible = session_key is not None and set(session_key) <= set(VALID_KEY_CHARS)
        super().__init__(session_key if is_possible else None)
        self._seen_at: datetime | None = None

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:  # type: ignore[override]
        """Return the rows in which sessions are kept."""
        return BrowserSession

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:  # type: ignore[override]
        """Return the row of this session, as it is to be written."""
        caller = present_caller()
        return BrowserSession(
            session_key=self._get_or_create_session_key(),  # type: ignore[attr-defined]
            session_data=self.encode(data),
            expire_date=self.get_expiry_date(),
            user_id=data.get(SESSION_KEY),
            ip=caller.ip,
            agent=caller.agent,
        )

    def load(self) -> dict[str, Any]:
        """Return what the session holds; nothing when there is no such session any more."""
        row: BrowserSession | None = self._get_session_from_db()  # type: ignore[attr-defined]
        if row is None:
            return {}
        self._seen_at = row.last_seen_at
        return self.decode(row.session_data)

    def note_seen(self) -> None:
        """Keep when and where it was seen, unless that was written a moment ago."""
        now = timezone.now()
        if self._seen_at is not None and self._seen_at < now - SEEN_EVERY:
            caller = present_caller()
            BrowserSession.objects.filter(pk=self.session_key).update(
                last_seen_at=now, ip=caller.ip, agent=caller.agent
            )
