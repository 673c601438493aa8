"""Preemption candidates: eligibility, order, and targets that need not be preempted (spec 7.1)."""

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
class Preemptor:
    """The preemptor: a pending workload with its request."""

    queue: QueueSpec
    priority: int
    sequence: int
    #: Total request of its pod sets; zero amounts are ignored.
    request: Mapping[Pair, int]
    #: The flavor-resources that need preemption.
    short: Collection[Pair]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A workload to preempt, and the reason that allows it."""

    running: Running
    reason: str


def may_preempt(rule: PreemptionRule, preemptor: Preemptor, candidate: Running) -> bool:
    """Return whether *rule* lets *preemptor* preempt *candidate*."""
    match rule:
        case PreemptionRule.NEVER:
            return False
        case PreemptionRule.ANY:
            return True
        case PreemptionRule.LOWER_PRIORITY:
            return candidate.priority < preemptor.priority
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            is_newer = candidate.workload.sequence > preemptor.sequence
            return candidate.priority < preemptor.priority or (
                candidate.priority == preemptor.priority and is_newer
            )


def uses_any(candidate: Running, pairs: Collection[Pair]) -> bool:
    """Return whether *candidate* uses any of *pairs*."""
    return any(pair in candidate.usage for pair in pairs)


def candidate_key(preemptor: Preemptor, candidate: Running) -> tuple[bool, bool, int, int, str]:
    """
    Return the sort key of candidates.

    Order: already preempted, other queues, lower priority, later reservation, id.
    """
    is_own = candidate.queue == preemptor.queue.name
    return (
        not candidate.is_evicted,
        is_own,
        candidate.priority,
        -candidate.reservation,
        candidate.id,
    )


def fits(tree: Tree, preemptor: Preemptor, *, may_borrow: bool) -> bool:
    """Return whether the whole request fits, without borrowing unless *may_borrow*."""
    return tree.has_room(preemptor.queue, preemptor.request) and (
        may_borrow
        or not any(
            tree.borrows_with(preemptor.queue, pair, amount)
            for pair, amount in preemptor.request.items()
        )
    )


def without_unneeded(
    tree: Tree, targets: list[Target], fits_still: Callable[[], bool]
) -> list[Target]:
    """
    Return the targets without those that need not be preempted, checking the last chosen first.

    The very last target is needed by construction and is not checked. The last of the list
    moves into the place of a removed target, as in Kueue.
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
