"""Facts of the discipline in the trace of a workload: gates, nodes, order and searches for room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.fairshare.gates import Gate
from console.engine.disciplines.fairshare.nomination import Hurdle, Search
from console.engine.disciplines.fairshare.queue_order import Rule
from console.engine.disciplines.fairshare.reclaim import Step
from console.engine.model.amounts import Amount
from console.engine.model.exceeded import Exceeded
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import TraceSection, register_section

#: The name of the section, which is the name of the folder.
FAIRSHARE: Final = "fairshare"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStep:
    """The comparison of a request with a limit or quota on the path of a queue, in thousandths."""

    gate: Gate = Gate.LIMIT
    queue: str = ""
    #: The name of the queue in messages.
    title: str = ""
    resource: str = ""
    bound: Amount = 0
    #: Of all workloads for a limit, of those that cannot be preempted for a quota.
    used: int = 0
    requested: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the request fits."""
        return self.used + self.requested <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStep:
    """On how many nodes one pod lacks a resource, or is excluded for another cause."""

    cause: str = ""
    nodes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRule:
    """The queue, or one above it, compared with a sibling that competes for the next turn."""

    queue: str = ""
    sibling: str = ""
    is_first: bool = False
    rule: Rule = Rule.AGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReclaimStep:
    """The check that refuses to reclaim, and the queues and the resource that it compares."""

    step: Step = Step.FAIR_SHARE
    queue: str = ""
    victim: str = ""
    #: "": all resources together.
    resource: str = ""
    #: For FAIR_SHARE: what the queue uses and may use of the resource, and what is requested, in
    #: thousandths, if they are known.
    used: int = 0
    bound: Amount = 0
    requested: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimStep:
    """Why a search did not end with this victim."""

    workload: str = ""
    queue: str = ""
    hurdle: Hurdle = Hurdle.NO_ROOM
    refusal: ReclaimStep | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchStep:
    """A search for room that found none."""

    search: Search = Search.RECLAIM
    #: Why no victim was looked for; at most one of the two.
    refusal: ReclaimStep | None = None
    gate: GateStep | None = None
    candidates: int = 0
    victims: tuple[VictimStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FairshareFacts(TraceSection):
    """What was compared for the pods that start together."""

    #: Their request in thousandths, without zeros.
    request: Mapping[str, int] = field(default_factory=dict)
    #: Their number, and how many of them have a node.
    pods: int = 0
    placed: int = 0
    cannot_be_preempted: bool = False
    #: Why the request is not supported: one sentence.
    problem: str = ""
    #: The parent that the queue, or one above it, names and the config lacks.
    missing_parent: str = ""
    #: Whether the config requires a parent for queues with workloads, and the queue has none.
    lacks_parent: bool = False
    #: The name of the queue in messages.
    title: str = ""
    #: The limit or quota that refuses the start.
    refusal: GateStep | None = None
    #: All comparisons on the path, the queue itself first.
    gates: tuple[GateStep, ...] = ()
    nodes: tuple[NodeStep, ...] = ()
    #: Only in explanations of the present.
    order: tuple[OrderRule, ...] = ()
    searches: tuple[SearchStep, ...] = ()
    #: The bounds that the request exceeds even if nothing else runs: it can never start.
    exceeded: tuple[Exceeded, ...] = ()


NO_FACTS: Final = FairshareFacts()

register_section(FAIRSHARE, FairshareFacts)


def facts_of(trace: Trace) -> FairshareFacts:
    """Return the facts in a trace; empty for a trace of another discipline."""
    found = trace.sections.get(FAIRSHARE)
    return found if isinstance(found, FairshareFacts) else NO_FACTS
