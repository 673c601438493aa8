"""Preemption for asks that name their node: pods of the same or a lower priority there stop."""

from __future__ import annotations

from functools import cmp_to_key

from console.engine.disciplines.hierarchy.applications import Allocation, Ask, NodeUsage
from console.engine.disciplines.hierarchy.resources import fits_strictly, is_larger, plus


def victims_on_node(
    ask: Ask, node: NodeUsage, *, after_stopping: bool = False
) -> tuple[Allocation, ...] | None:
    """
    Return the pods that stop so that an ask has room on its node; None: they are not enough.

    Neither guarantees nor fences protect them. With *after_stopping*, the room of pods that have to
    stop already counts as free.
    """
    candidates = [
        each
        for each in node.allocations.values()
        if each.ask.required_node is None
        and not each.is_released
        and not each.is_preempted
        and each.ask.priority <= ask.priority
        and any(name in ask.resources for name in each.resources)
    ]
    available = plus(node.available, node.releasing) if after_stopping else dict(node.available)
    victims: list[Allocation] = []
    for each in sorted(candidates, key=cmp_to_key(_compare)):
        if fits_strictly(available, ask.resources):
            break
        victims.append(each)
        available = plus(available, each.resources)
    return tuple(victims) if fits_strictly(available, ask.resources) else None


def _compare(left: Allocation, right: Allocation) -> int:
    one, other = _rank(left), _rank(right)
    if one != other:
        return -1 if one < other else 1
    if is_larger(left.resources, right.resources):
        return 1
    if is_larger(right.resources, left.resources):
        return -1
    return -1 if left.key < right.key else 1


def _rank(victim: Allocation) -> tuple[int, int, int]:
    ask = victim.ask
    kind = 2 if ask.is_originator else 0 if ask.may_be_preempted else 1
    return kind, ask.priority, -ask.created
