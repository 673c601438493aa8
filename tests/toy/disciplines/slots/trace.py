"""What the discipline finds for one workload, as facts of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.slots.spec import SLOTS
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import TraceSection, register_section


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitCheck:
    """The arithmetic for one limited resource, in thousandths."""

    resource: str
    requested: int
    used: int
    limit: int

    @property
    def missing(self) -> int:
        """How much more is requested than is left."""
        return max(0, self.requested - max(0, self.limit - self.used))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotsFacts(TraceSection):
    """The check of every limited resource that the workload requests; empty if none was made."""

    checks: tuple[LimitCheck, ...] = ()


NO_FACTS: Final = SlotsFacts()

register_section(SLOTS, SlotsFacts)


def checks_of(trace: Trace) -> tuple[LimitCheck, ...]:
    """Return the checks in a trace; none in one of another discipline."""
    found = trace.sections.get(SLOTS)
    return found.checks if isinstance(found, SlotsFacts) else ()
