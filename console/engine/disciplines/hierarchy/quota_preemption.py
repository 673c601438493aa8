"""
Preemption after the maximum of a queue was lowered: its pods stop until it fits, or nearly so.

A queue whose usage exceeds a lowered maximum waits for its delay. Then what it uses above the
maximum is divided among the leaves below it, by what they use above their guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.hierarchy.applications import Allocation, Applications
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    fits,
    is_larger,
    least_of_first,
    plus,
    remaining,
)
from console.engine.disciplines.hierarchy.spec import Compatibility

_HOUR: Final = 3_600_000


@dataclass(slots=True)
class QuotaChanges:
    """Since when, and until when, queues above a lowered maximum wait, by path."""

    #: In milliseconds.
    starts: dict[str, int] = field(default_factory=dict)
    #: Under the last config.
    _maxima: dict[str, Resources | None] = field(default_factory=dict)
    _delays: dict[str, int] = field(default_factory=dict)

    def take(self, queue: QueueUsage, now: int) -> None:
        """Take over the maximum and the delay of a queue from a new config."""
        path, new = queue.path, queue.queue.maximum
        delay = queue.queue.settings.quota_preemption_delay
        old, old_delay = self._maxima.get(path), self._delays.get(path, 0)
        self._maxima[path], self._delays[path] = new, delay
        if not delay or new is None or not _exceeds(queue, new):
            self.starts.pop(path, None)
            return
        start = self.starts.get(path)
        if old == new:
            if start is not None:
                self.starts[path] = start + delay - old_delay
            elif not old_delay:
                self.starts[path] = now + delay
        elif start is not None and old is not None and _is_ordered(old, new):
            self.starts[path] = start + delay - old_delay
        elif start is None and old is not None and is_larger(old, new):
            self.starts[path] = now + delay

    def exceed(self, queue: QueueUsage, now: int) -> None:
        """Begin to wait, because pods that run already have brought a queue above its maximum."""
        delay = queue.queue.settings.quota_preemption_delay
        if delay and queue.queue.maximum is not None and _exceeds(queue, queue.queue.maximum):
            self.starts.setdefault(queue.path, now + delay)


def _is_ordered(old: Resources, new: Resources) -> bool:
    return is_larger(old, new) or is_larger(new, old)


def _exceeds(queue: QueueUsage, maximum: Resources) -> bool:
    used = {name: queue.allocated.get(name, 0) for name in maximum}
    return not fits(maximum, used)


def quota_victims(
    root: QueueUsage,
    applications: Applications,
    changes: QuotaChanges,
    now: int,
    compatibility: Compatibility,
) -> Iterator[tuple[QueueUsage, Allocation]]:
    """
    Yield the pods that stop now, each with the queue whose maximum was lowered.

    Every queue is looked at once for a change, whether its pods suffice or not. While it is looked
    at, the queues below it are not.
    """
    waiting = [root]
    while waiting:
        queue = waiting.pop(0)
        start = changes.starts.get(queue.path)
        is_due = start is not None and start <= now and queue.queue.is_managed
        maximum = queue.queue.maximum
        if not is_due or maximum is None or not _exceeds(queue, maximum):
            waiting.extend(queue.children.values())
            continue
        del changes.starts[queue.path]
        for leaf, amount in divided(queue, _excess(queue, maximum)):
            for victim in _victims(leaf, applications, amount, compatibility):
                yield queue, victim


def _excess(queue: QueueUsage, maximum: Resources) -> Resources:
    """Return what a queue uses above its maximum, and above the guarantees on its path."""
    used = remaining(queue.allocated, queue.preempting)
    over = {
        name: used.get(name, 0) - value
        for name, value in maximum.items()
        if used.get(name, 0) > value
    }
    for each in queue.up:
        if each.guaranteed:
            over = dict(least_of_first(over, _surplus(each)))
    return {name: value for name, value in over.items() if value > 0}


def _surplus(queue: QueueUsage) -> dict[str, int]:
    """Return what a queue uses above its guarantee."""
    guaranteed = queue.guaranteed
    used = remaining(queue.allocated, queue.preempting)
    return {name: max(0, value - guaranteed.get(name, 0)) for name, value in used.items()}


def divided(queue: QueueUsage, amount: Resources) -> Iterator[tuple[QueueUsage, Resources]]:
    """Yield the leaves below a queue with their parts of an amount: by surplus, rounded down."""
    if not any(amount.values()):
        return
    if queue.queue.is_leaf:
        yield queue, amount
        return
    surpluses: Mapping[QueueUsage, dict[str, int]] = {
        child: _surplus(child) for child in queue.children.values()
    }
    total: Resources = NOTHING
    for each in surpluses.values():
        total = plus(total, each)
    for child, surplus in surpluses.items():
        part = {
            name: value * surplus.get(name, 0) // total[name]
            for name, value in amount.items()
            if total.get(name, 0)
        }
        yield from divided(child, {name: value for name, value in part.items() if value})


def _victims(
    leaf: QueueUsage, applications: Applications, amount: Resources, compatibility: Compatibility
) -> Iterator[Allocation]:
    """Yield pods of a leaf that use no more than *amount* together."""
    candidates = [
        each
        for app in applications.get(leaf, {}).values()
        for each in app.allocations.values()
        if each.ask.required_node is None
        and not each.is_released
        and not each.is_preempted
        and any(name in amount for name in each.resources)
    ]

    def order(victim: Allocation) -> tuple[object, ...]:
        ask = victim.ask
        matching = sum(name in amount for name in victim.resources) / len(victim.resources)
        kept = ask.is_originator + 2 * (not ask.may_be_preempted)
        if compatibility.originators_first:
            kept = -kept
        size = sum(victim.resources.get(name, 0) / amount[name] for name in amount)
        return (kept, -matching, ask.priority, -(ask.submitted // _HOUR), size, victim.place)

    total: Resources = NOTHING
    for victim in sorted(candidates, key=order):
        with_it = plus(total, victim.resources)
        if all(with_it.get(name, 0) <= value for name, value in amount.items()):
            total = with_it
            yield victim
