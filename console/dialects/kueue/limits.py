"""Maximum sizes of lists in Kueue's API (Kueue, spec 1.2, 1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from console.dialects.findings import Findings, Place
from console.dialects.kueue.codes import TOO_MANY

MOST_GROUPS: Final = 16
MOST_ITEMS: Final = 64
MOST_IN_QUEUE: Final = 256
MOST_PAIRS: Final = 512


def check_count(places: Sequence[Place], most: int, what: str, findings: Findings) -> None:
    """Report the first item beyond *most*; *places* has the places of all items."""
    if len(places) > most:
        findings.add(
            TOO_MANY,
            places[most],
            f"{len(places)} {what} are more than the {most} that Kueue accepts.",
        )
