"""The siblings of a queue, and of those above it, that compete for the next turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from console.engine.disciplines.fairshare.live_world import LiveWorld, world_of
from console.engine.disciplines.fairshare.nomination import Rival
from console.engine.disciplines.fairshare.queue_order import Contender, compare
from console.engine.disciplines.fairshare.requests import need_of
from console.engine.disciplines.fairshare.resources import Amounts
from console.engine.disciplines.fairshare.session import Session
from console.engine.live.live_tree import AnyQueue

if TYPE_CHECKING:
    from console.engine.state import State

#: The most siblings of each level that are listed, those that go first before the others.
_MOST_LISTED: Final = 5


def rivals(state: State, queue: str, request: Amounts) -> tuple[Rival, ...]:
    """
    Return the order among siblings if a workload with *request* were the next one of *queue*.

    From the top of the tree down; only siblings with pending workloads compete.
    """
    world = world_of(state)
    session = world.open(state)
    tree = session.spec.tree
    if queue not in session.paths:
        return ()
    firsts: dict[str, Amounts] = {}
    for name in session.paths:
        live = state.queues.get(name)
        if live is not None and live.barrier is None:
            first = _first_request(world, live)
            if first is not None:
                firsts[name] = first
    competing = _contenders(session, firsts)
    found = []
    for name in session.paths[queue]:
        own = Contender(standing=session.standings[name], request=request)
        parent = tree.queues[name].parent
        siblings = tree.roots if parent is None else tree.children(parent)
        compared = [
            Rival(
                queue=name,
                sibling=each,
                comparison=compare(own, competing[each], session.total),
            )
            for each in siblings
            if each != name and each in competing
        ]
        compared.sort(key=lambda each: each.comparison.is_left_first)
        found.extend(compared[:_MOST_LISTED])
    return tuple(found)


def _first_request(world: LiveWorld, queue: AnyQueue) -> Amounts | None:
    """Return the request of the first pending workload of *queue*; None: it has none."""
    cls = next(queue.pending.in_order(), None)
    other = max(queue.unrestored, key=lambda each: each.priority, default=None)
    if other is not None and (cls is None or other.priority > cls.priority):
        return need_of(other.requests).amounts(0)
    return world.amounts_of(cls.head.workload) if cls is not None else None


def _contenders(session: Session, firsts: Mapping[str, Amounts]) -> dict[str, Contender]:
    """Return every queue with a workload below it, with the request of the first of these."""
    found: dict[str, Contender] = {}
    tree = session.spec.tree
    for name in reversed(tree.members):
        below = [found[each] for each in tree.children(name) if each in found]
        request = firsts.get(name)
        if below:
            best = below[0]
            for each in below[1:]:
                if compare(each, best, session.total).is_left_first:
                    best = each
            request = best.request
        if request is not None:
            found[name] = Contender(standing=session.standings[name], request=request)
    return found
