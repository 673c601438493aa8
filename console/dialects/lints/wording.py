"""Words that several lints share: names, windows of history, and counts."""

from __future__ import annotations

from collections.abc import Iterable

from console.dialects.past import Kind, Past
from console.dialects.wording import listed, shorten

#: Maximum number of names in a message; the others are counted.
_NAMED = 3


def quoted(name: str) -> str:
    """Return a name in quotes, not too long."""
    return f'"{shorten(name)}"'


def names(words: Iterable[str], joint: str = "and") -> str:
    """
    Return names as a list that counts what is beyond the first few.

    >>> names(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    found = list(words)
    items = [shorten(word, 40) for word in found[:_NAMED]]
    more = len(found) - _NAMED
    return listed([*items, f"{more:,} more"] if more > 0 else items, joint)


def window(past: Past) -> str:
    """Return what was looked at: "the last 30 days"."""
    days = f"the last {past.history.window_days} days"
    return days if past.is_complete else f"what was recorded last, in {days} at most"


def workloads(count: int) -> str:
    """Return a number of workloads."""
    return f"{count:,} workload" if count == 1 else f"{count:,} workloads"


def told_by(kind: Kind) -> str:
    """Return what a config can tell a kind of workload by."""
    shown = ", ".join(f"{key}={value}" for key, value in sorted(kind.labels.items()))
    place = f" in namespace {shorten(kind.workload.namespace)}" if kind.workload.namespace else ""
    return f"{shorten(shown, 120) or 'no label that a selector uses'}{place}"
