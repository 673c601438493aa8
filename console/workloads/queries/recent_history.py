"""Recent history, cached for a minute for the editor, which reads it after every change."""

from __future__ import annotations

import time
from collections import OrderedDict
from datetime import datetime
from threading import Lock
from typing import TypeAlias

from console.engine.model.history import History
from console.orgs.models import Organization
from console.workloads.queries.history import WINDOW, history_of

#: Seconds for which a cached history is used.
FRESH = 60.0

#: Maximum number of cached histories per process; one entry per organization and window.
_KEPT = 8

#: Key and creation time of an organization, because a restored database may reuse a key; and days.
_Key: TypeAlias = tuple[int, datetime, int]

_lock = Lock()
_kept: OrderedDict[_Key, tuple[float, History]] = OrderedDict()


def recent_history(org: Organization, days: int = WINDOW) -> History:
    """Return the history of the last *days* days, at most `FRESH` seconds old."""
    key = org.pk, org.created_at, days
    with _lock:
        known = _kept.get(key)
    if known is not None and time.monotonic() - known[0] < FRESH:
        return known[1]
    history = history_of(org, days)
    with _lock:
        _kept[key] = time.monotonic(), history
        _kept.move_to_end(key)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return history


def forget_histories() -> None:
    """Clear the cache."""
    with _lock:
        _kept.clear()
