"""Facts of the discipline in the trace of a workload."""

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
        """The requested amount that exceeds the rest of the limit."""
        return max(0, self.requested - max(0, self.limit - self.used))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotsFacts(TraceSection):
    """The check of every limited resource that the workload requests, possibly none."""

    checks: tuple[LimitCheck, ...] = ()


NO_FACTS: Final = SlotsFacts()

register_section(SLOTS, SlotsFacts)


def checks_of(trace: Trace) -> tuple[LimitCheck, ...]:
    """Return the checks in a trace; empty for a trace of another discipline."""
    found = trace.sections.get(SLOTS)
    return found.checks if isinstance(found, SlotsFacts) else ()
