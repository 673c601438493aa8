"""Past usage of queues: as it is recorded, and as parts of the capacity, which disciplines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.model.amounts import FlavorResource

#: Milliseconds after which a measurement counts as absent.
EXPIRY: Final = 5 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageHistory:
    """What queues have used in the past, in parts of the capacity of that time."""

    #: When it was measured, in milliseconds since 1970 in UTC.
    measured_at: int
    #: By queue and resource; 1 is all capacity, and zeros are absent. A queue that is above others
    #: has their usage too, as it was recorded at that time.
    parts: Mapping[str, Mapping[str, float]]

    @property
    def expires_at(self) -> int:
        """The first time at which it counts as absent, in milliseconds since 1970 in UTC."""
        return self.measured_at + EXPIRY

    def is_current(self, now: int) -> bool:
        """Return whether it counts at the time *now*."""
        return now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRange:
    """The past whose usage matters."""

    #: In milliseconds since 1970 in UTC.
    since: int
    #: Whether all of it counts the same, so that long spans of time may be summed up.
    is_even: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedUsage:
    """
    The usage and the capacity in a span of time, as sums over its sampled minutes.

    A sum over ten minutes is ten times the mean, in thousandths.
    """

    #: Both in milliseconds since 1970 in UTC; the end is exclusive.
    begin: int
    end: int
    #: The number of sampled minutes.
    minutes: int
    #: The used amounts by queue, as its capacity nodes had them; unused queues may be absent.
    used: Mapping[str, Mapping[FlavorResource, int]] = field(default_factory=dict)
    #: What the nodes of clusters offered, by cluster and resource; empty: there was no cluster.
    offered: Mapping[FlavorResource, int] = field(default_factory=dict)
