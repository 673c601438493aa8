"""The interface of an engine under test, as needed by the cases of Kueue."""

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
    """What preemption would give for one flavor-resource: NO_CANDIDATES, PREEMPT or RECLAIM."""

    outcome: Mode
    #: Borrowing level with the victims gone.
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStub:
    """Stands in for the search for victims while flavors are assigned."""

    default: Simulated
    #: By flavor and resource.
    pairs: Mapping[tuple[str, str], Simulated] = field(default_factory=dict)

    def simulate(self, flavor: str, resource: str) -> Simulated:
        """Return the answer for one flavor-resource, whatever the amount."""
        return self.pairs.get((flavor, resource), self.default)


@dataclass(frozen=True, slots=True)
class Nominated:
    """The flavor that a resource is to get; PREEMPT: victims have to be found for it."""

    flavor: str
    mode: Mode


class EngineUnderTest(Protocol):
    """
    Answers one question for each type of case.

    A question leaves the world as it was, and the same question has the same
    answer. Amounts are thousandths.
    """

    def settle(self, world: World) -> SettleAnswer:
        """
        Run cycles until nothing changes, requeue all workloads once, and run again.

        After each cycle, its victims, and workloads that were evicting at the start, stop
        immediately and become pending with their old ``sequence``. It ends in every world.
        """

    def cycle(self, world: World) -> CycleAnswer:
        """Run exactly one cycle over *world*; victims do not stop."""

    def assign(self, world: World, head: PendingWorkload, stub: PreemptionStub) -> FlavorAnswer:
        """
        Find the flavors of *head*, beginning behind its ``last_assignment``.

        All its pods or none. Where the room would have to come from preemption,
        *stub* answers.
        """

    def targets(
        self,
        world: World,
        preemptor: PendingWorkload,
        nominated: Mapping[str, Mapping[str, Nominated]],
    ) -> VictimsAnswer:
        """Find the victims of *preemptor*, given the flavors of each pod set and resource."""

    def quota(self, world: World) -> QuotaAnswer:
        """Say what each queue could have, and what *world* leaves it."""

    def shares(self, world: World, extra_usage: Mapping[str, Mapping[str, int]]) -> SharesAnswer:
        """Say the share of every node, each with *extra_usage* added (by flavor and resource)."""
