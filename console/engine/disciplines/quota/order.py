"""The order of turns in one cycle: by borrowing level, or by share with fair sharing."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.disciplines.quota.ledger import Node, QuotaQueue
from console.engine.disciplines.quota.nominate import QuotaNomination
from console.engine.disciplines.quota.shares import Share, dominant_share
from console.engine.live.live_tree import Preemptor
from console.engine.model.amounts import Usage
from console.engine.pending.pending_class import Pending


@dataclass(slots=True, eq=False)
class Entry:
    """A workload that has a turn in a cycle."""

    queue: QuotaQueue
    pending: Pending
    nomination: QuotaNomination
    #: Set for a preemptor, which waits outside the pending queue.
    waiting: Preemptor | None = None


def in_order_of_borrowing(entries: list[Entry]) -> list[Entry]:
    """Return the entries sorted by borrowing level, the lowest first (Kueue, spec 4.3)."""
    return sorted(entries, key=_classical)


def _classical(entry: Entry) -> tuple[int, int, int]:
    return (
        entry.nomination.result.level,
        -entry.pending.priority,
        entry.pending.workload.sequence,
    )


#: Whether the node would borrow for the request, its share, and the entry's own order.
_Standing = tuple[bool, Share, int, int]


def winner_of_tournament(entries: list[Entry]) -> Entry:
    """
    Return the entry that goes first under fair sharing (Kueue, spec 4.3).

    The winner of a cohort is the best of the winners of its child cohorts and the entries of its
    child queues, each compared by the child of the cohort on its path.
    """
    if entries[0].queue.account.parent is None:
        return min(entries, key=_classical)
    standings = {id(entry): _standings(entry) for entry in entries}
    at: dict[Node, list[Entry]] = {}
    for entry in entries:
        at.setdefault(entry.queue.account, []).append(entry)
    winner = _best_below(entries[0].queue.account.root, at, standings)
    assert winner is not None, "every entry is below the root"
    return winner


def _best_below(
    cohort: Node, at: dict[Node, list[Entry]], standings: dict[int, dict[Node, _Standing]]
) -> Entry | None:
    best: Entry | None = None
    best_standing: _Standing | None = None
    for child in cohort.children:
        if child.children:
            below = _best_below(child, at, standings)
            competitors = [] if below is None else [below]
        else:
            competitors = at.get(child, [])
        for competitor in competitors:
            standing = standings[id(competitor)][child]
            if best_standing is None or standing < best_standing:
                best, best_standing = competitor, standing
    return best


def _standings(entry: Entry) -> dict[Node, _Standing]:
    """Return the sort keys of the queue and of every cohort below the root with the entry added."""
    usage, own = entry.nomination.usage, entry.queue.account
    for key, amount in usage.items():
        own.cell(key).add(amount)
    standings = {}
    node = own
    while node.parent is not None:
        standings[node] = (
            _borrows_for(node, usage),
            dominant_share(node),
            -entry.pending.priority,
            entry.pending.workload.sequence,
        )
        node = node.parent
    for key, amount in usage.items():
        own.cell(key).add(-amount)
    return standings


def _borrows_for(node: Node, usage: Usage) -> bool:
    return any(amount and node.cell(key).over for key, amount in usage.items())
