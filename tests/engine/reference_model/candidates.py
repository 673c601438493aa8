"""Preemption in general: who may be asked to stop, in which order, and who is spared (spec 7.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec
from tests.engine.reference_model.tree import Tree
from tests.engine.reference_model.world import Pair, Running

IN_QUEUE = "InClusterQueue"
RECLAIMED = "InCohortReclamation"
WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
FAIR_SHARE = "InCohortFairSharing"


@dataclass(frozen=True, kw_only=True)
class Asker:
    """The workload that wants room, and what it wants."""

    queue: QueueSpec
    priority: int
    sequence: int
    #: All that its pod sets take; an amount of zero plays no part.
    request: Mapping[Pair, int]
    #: The flavors and resources that are short.
    short: Collection[Pair]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A workload that has to stop, and by what right."""

    running: Running
    reason: str


def may_stop(rule: PreemptionRule, asker: Asker, candidate: Running) -> bool:
    """Say whether *rule* lets *asker* stop *candidate*."""
    match rule:
        case PreemptionRule.NEVER:
            return False
        case PreemptionRule.ANY:
            return True
        case PreemptionRule.LOWER_PRIORITY:
            return candidate.priority < asker.priority
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            is_newer = candidate.workload.sequence > asker.sequence
            return candidate.priority < asker.priority or (
                candidate.priority == asker.priority and is_newer
            )


def holds_some(candidate: Running, pairs: Collection[Pair]) -> bool:
    """Say whether *candidate* was given any of *pairs*."""
    return any(pair in candidate.usage for pair in pairs)


def place(asker: Asker, candidate: Running) -> tuple[bool, bool, int, int, str]:
    """
    Return the sort key of candidates.

    Told to stop already, other queues, lower priority, later reservation, id.
    """
    is_own = candidate.queue == asker.queue.name
    return (
        not candidate.is_evicted,
        is_own,
        candidate.priority,
        -candidate.reservation,
        candidate.id,
    )


def fits(tree: Tree, asker: Asker, *, may_borrow: bool) -> bool:
    """Say whether the whole request has room, inside the queue's nominal quota or beyond."""
    return tree.has_room(asker.queue, asker.request) and (
        may_borrow
        or not any(
            tree.borrows_with(asker.queue, pair, amount) for pair, amount in asker.request.items()
        )
    )


def spare(tree: Tree, targets: list[Target], fits_still: Callable[[], bool]) -> list[Target]:
    """
    Put back the targets that need not stop, the last chosen first.

    The very last is needed by construction and is not asked again. A spared one
    leaves its slot to the last of the list, as upstream does.
    """
    left = list(targets)
    for index in range(len(left) - 2, -1, -1):
        running = left[index].running
        tree.add(running.queue, running.usage)
        if fits_still():
            left[index] = left[-1]
            left.pop()
        else:
            tree.remove(running.queue, running.usage)
    return left
