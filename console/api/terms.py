"""Terms of an apply: the accepted consequences, and the time until an automatic revert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from console.engine.model.consequences import ConsequenceCode
from console.reading import Reader

#: The request fields of the terms.
TERMS = ("accept", "revert_after_minutes")

#: An upper bound of minutes; the service validates the actual limit.
_MOST_MINUTES = 10**6


@dataclass(frozen=True, slots=True)
class Terms:
    """Accepted consequences (None: none is required), and the time until a revert."""

    accept: frozenset[str] | None
    revert_after: timedelta | None


def read_terms(reader: Reader, fields: Mapping[str, Any]) -> Terms:
    """Return the terms in the *fields* of a request."""
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
