"""Pending workloads that a state does not have one by one, because it explains others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrestoredClass:
    """Equal pending workloads of one queue, which get no turns in this state."""

    priority: int
    #: Of each of them, in thousandths, by resource.
    requests: Mapping[str, int]
    count: int
