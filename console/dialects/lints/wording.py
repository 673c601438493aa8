"""Shared wording of lints: quoted names, lists of names, the history window, and counts."""

from __future__ import annotations

from collections.abc import Iterable

from console.dialects.routed_history import RoutedHistory, WorkloadKind
from console.dialects.wording import listed, shorten

#: Maximum number of names in a message; the remaining ones are counted.
_NAMED = 3


def quoted(name: str) -> str:
    """Return a name in quotes, shortened if it is long."""
    return f'"{shorten(name)}"'


def names(words: Iterable[str], joint: str = "and") -> str:
    """
    Return the first few names as a list, with the number of the others.

    >>> names(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    found = list(words)
    items = [shorten(word, 40) for word in found[:_NAMED]]
    more = len(found) - _NAMED
    return listed([*items, f"{more:,} more"] if more > 0 else items, joint)


def window(past: RoutedHistory) -> str:
    """Return the period of the evaluated history in words: "the last 30 days"."""
    days = f"the last {past.history.window_days} days"
    return days if past.is_complete else f"what was recorded last, in {days} at most"


def workloads(count: int) -> str:
    """Return a number of workloads in words: "1 workload"."""
    return f"{count:,} workload" if count == 1 else f"{count:,} workloads"


def describe_kind(kind: WorkloadKind) -> str:
    """Return the labels and namespace by which a config can match a kind of workload."""
    shown = ", ".join(f"{key}={value}" for key, value in sorted(kind.labels.items()))
    place = f" in namespace {shorten(kind.workload.namespace)}" if kind.workload.namespace else ""
    return f"{shorten(shown, 120) or 'no label that a selector uses'}{place}"
