"""On what terms a version is applied: which consequences are accepted, and whether for a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from console.engine.model.consequences import ConsequenceCode
from console.reading import Reader

#: The fields that say so.
TERMS = ("accept", "revert_after_minutes")

#: More minutes than any timer takes; the service says which it takes.
_MOST_MINUTES = 10**6


@dataclass(frozen=True, slots=True)
class Terms:
    """What was accepted, None: nothing is asked; and when the version before comes back."""

    accept: frozenset[str] | None
    revert_after: timedelta | None


def read_terms(reader: Reader, fields: Mapping[str, Any]) -> Terms:
    """Return the terms among the *fields* of a request."""
    codes = [code.value for code in ConsequenceCode]
    given, minutes = fields.get("accept"), fields.get("revert_after_minutes")
    accept = None
    if given is not None:
        items = reader.items(given, "accept", 0, len(codes))
        accept = frozenset(
            reader.choice(item, f"accept[{place}]", codes) for place, item in enumerate(items)
        )
    after = None
    if minutes is not None:
        number = reader.integer(minutes, "revert_after_minutes", most=_MOST_MINUTES)
        after = timedelta(minutes=number)
    return Terms(accept, after)
