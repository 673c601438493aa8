"""The interface of an engine under test, for the cases of Kueue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from console.dialects.kueue.conformance.answers import (
    CycleAnswer,
    FlavorAnswer,
    Mode,
    QuotaAnswer,
    SettleAnswer,
    SharesAnswer,
    VictimsAnswer,
)
from console.dialects.kueue.conformance.workloads import PendingWorkload
from console.dialects.kueue.conformance.world import World


@dataclass(frozen=True, slots=True)
class Simulated:
    """The result of preemption for one flavor-resource: NO_CANDIDATES, PREEMPT or RECLAIM."""

    outcome: Mode
    #: Borrowing level after the victims have stopped.
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStub:
    """Replaces the search for victims while flavors are assigned."""

    default: Simulated
    #: By flavor and resource.
    pairs: Mapping[tuple[str, str], Simulated] = field(default_factory=dict)

    def simulate(self, flavor: str, resource: str) -> Simulated:
        """Return the result for one flavor-resource; it does not depend on the amount."""
        return self.pairs.get((flavor, resource), self.default)


@dataclass(frozen=True, slots=True)
class Nominated:
    """The nominated flavor of a resource; with PREEMPT, victims have to be found for it."""

    flavor: str
    mode: Mode


class EngineUnderTest(Protocol):
    """
    Answers one question for each type of case.

    A question does not change the world, and equal questions have equal answers. Amounts are
    thousandths.
    """

    def settle(self, world: World) -> SettleAnswer:
        """
        Run cycles until nothing changes, requeue all workloads once, and run again.

        After each cycle, its victims, and workloads that were evicting at the start, stop
        immediately and become pending with their old ``sequence``. It terminates for every world.
        """

    def cycle(self, world: World) -> CycleAnswer:
        """Run exactly one cycle over *world*; victims do not stop."""

    def assign(self, world: World, head: PendingWorkload, stub: PreemptionStub) -> FlavorAnswer:
        """
        Find flavors for all pods of *head*, starting after its ``last_assignment``.

        *stub* replaces the search for victims.
        """

    def targets(
        self,
        world: World,
        preemptor: PendingWorkload,
        nominated: Mapping[str, Mapping[str, Nominated]],
    ) -> VictimsAnswer:
        """Find the victims of *preemptor*, given the flavors of each pod set and resource."""

    def quota(self, world: World) -> QuotaAnswer:
        """Return the maximum quota of each queue, and its available quota in *world*."""

    def shares(self, world: World, extra_usage: Mapping[str, Mapping[str, int]]) -> SharesAnswer:
        """Return each node's share with *extra_usage* (by flavor and resource) added to it."""
