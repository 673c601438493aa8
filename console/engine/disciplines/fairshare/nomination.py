"""Nominations: what would happen to one workload now, and every fact on which that depends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.disciplines.fairshare.gates import Refusal
from console.engine.disciplines.fairshare.queue_order import Comparison
from console.engine.disciplines.fairshare.reclaim import ReclaimRefusal
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.model.amounts import FlavorResource
from console.engine.model.decision import Assignment
from console.engine.model.exceeded import Exceeded
from console.engine.model.reasons import Reason
from console.engine.model.trace import TurnStep


class Search(StrEnum):
    """A search for room that other workloads have to give up."""

    #: In other queues, by fair share.
    RECLAIM = "reclaim"
    #: In the same queue, by priority.
    PREEMPT = "preempt"
    #: Workloads of any queue that move to other nodes.
    CONSOLIDATE = "consolidate"


class Hurdle(StrEnum):
    """Why the victims up to a certain one do not make room, in a search that found none."""

    #: Even then the pods do not fit on nodes, or a limit or quota refuses them.
    NO_ROOM = "no_room"
    #: The fair shares do not allow to take them.
    NOT_RECLAIMABLE = "not_reclaimable"
    #: The victim has run for less than its minimum runtime.
    PROTECTED = "protected"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShortage:
    """On how many nodes one pod lacks a resource, or is excluded for another reason."""

    #: A resource, or ``constraints`` for labels and taints, or ``not_ready``.
    cause: str
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimVerdict:
    """What refused the victims up to this one."""

    workload: str
    queue: str
    hurdle: Hurdle
    refusal: ReclaimRefusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A search that found no victims."""

    search: Search
    #: Why no victim was looked for; None: there was a search.
    refusal: ReclaimRefusal | Refusal | None = None
    #: The number of victims that could be considered.
    candidates: int = 0
    #: The victims in the order in which they were added, at most a few.
    verdicts: tuple[VictimVerdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A sibling that competes for the next turn, compared with the queue or one above it."""

    queue: str
    sibling: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class FairshareNomination:
    """What would happen to one workload now."""

    fits: bool
    #: Why it waits; meaningless if it fits.
    pending_reason: Reason
    #: What the pods request that would start together.
    request: Amounts = NOTHING
    #: Their number by pod set.
    counts: Mapping[str, int] = field(default_factory=dict)
    assignment: Assignment = ()
    #: The limit or quota that refuses the start.
    refusal: Refusal | None = None
    #: Pods for which a node was found; all of them if it fits.
    placed: int = 0
    shortages: tuple[NodeShortage, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    #: Only in a report: which workloads prevent its start.
    turn: TurnStep | None = None
    #: All queues as they stood before anything was decided, shared by the nominations of a cycle.
    standings: Mapping[str, Standing] = field(default_factory=dict)
    #: Only in a report: the queue and those above it, compared with their siblings.
    rivals: tuple[Rival, ...] = ()
    usage: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: The bounds that it exceeds even if nothing else runs; empty: it can start some time.
    exceeded: tuple[Exceeded, ...] = ()

    @property
    def is_lasting(self) -> bool:
        """Whether the result stays the same as long as capacity is short: not known."""
        return False
