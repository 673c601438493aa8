"""The spec of the discipline: lines, each with its own limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, cast

from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.origin import Origin
from console.engine.model.plain_spec import PlainSpec
from console.engine.model.policy import Policy, Queue, Strategy

#: The name of the only capacity, used in assignments.
SLOTS: Final = "slots"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Queue):
    """A queue in which no workload overtakes an earlier one."""

    strategy: Strategy = Strategy.STRICT_FIFO
    #: Maximum usage in thousandths by resource; other resources are not limited.
    limit: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotsSpec(PlainSpec):
    """The lines of a policy."""

    discipline: ClassVar[str] = "slots"

    queues: Mapping[str, Line] = field(default_factory=dict)

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """An empty mapping: no node contains lines."""
        return {}

    @property
    def capacity_names(self) -> Collection[str]:
        """The name of the only capacity, if a line exists."""
        return (SLOTS,) if self.queues else ()

    @property
    def object_count(self) -> int:
        """The number of lines."""
        return len(self.queues)

    def path(self, queue: str) -> tuple[str, ...]:
        """Return nothing: no node is above a line."""
        return ()

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return the line alone."""
        return {"queue": {queue}}

    def missing_reference(self, queue: str) -> str | None:
        """Return None: a line refers to nothing."""
        return None

    def resources(self) -> tuple[str, ...]:
        """Return the resources that some line limits."""
        return tuple(dict.fromkeys(each for line in self.queues.values() for each in line.limit))

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return the limits of all lines together."""
        total: dict[FlavorResource, Amount] = {}
        for line in self.queues.values():
            for resource, amount in line.limit.items():
                total[SLOTS, resource] = total.get((SLOTS, resource), 0) + amount
        return total


def slots_of(policy: Policy) -> SlotsSpec:
    """Return the spec of a policy of this discipline."""
    return cast(SlotsSpec, policy.spec)
