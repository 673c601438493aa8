"""Sessions in the database; a cookie that cannot be a key is one that nobody gave out."""

from __future__ import annotations

from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore


class SessionStore(DatabaseSessionStore):
    """Looks up only keys of the form it makes: PostgreSQL fails when it is asked for a NUL."""

    def __init__(self, session_key: str | None = None) -> None:
        is_possible = session_key is not None and set(session_key) <= set(VALID_KEY_CHARS)
        super().__init__(session_key if is_possible else None)
