"""
The scheduler of one partition: queues in the order of their shares, applications, asks, nodes.

A cycle gives a node to one pod at most, as in YuniKorn. What failed is not tried again until an
event may have made room: the room of queues, users and nodes only shrinks between two events.
`Scheduler.forgetful` tries everything again in each cycle, which decides the same and records
every message that YuniKorn records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple, Protocol

from console.engine.disciplines.hierarchy.applications import (
    Allocation,
    Application,
    AppState,
    Ask,
    Message,
)
from console.engine.disciplines.hierarchy.nodes import Nodes, NodeUsage
from console.engine.disciplines.hierarchy.preemption import Preemption, find_victims
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage, application_order
from console.engine.disciplines.hierarchy.required_node import victims_on_node
from console.engine.disciplines.hierarchy.resources import minus, plus
from console.engine.disciplines.hierarchy.runtime_queue import QueueStatus
from console.engine.disciplines.hierarchy.spec import Compatibility
from console.engine.disciplines.hierarchy.users import UserUsage

#: How many asks of a leaf may try to preempt in one cycle.
_MOST_ATTEMPTS: Final = 10
#: Milliseconds between two attempts of one ask.
_ATTEMPT_INTERVAL: Final = 15_000


class Started(NamedTuple):
    """A pod got a node."""

    allocation: Allocation


class Preempted(NamedTuple):
    """Pods have to stop for an ask, for which a node is reserved."""

    ask: Ask
    victims: tuple[Allocation, ...]


class Replaced(NamedTuple):
    """A placeholder has to stop, and the pod takes its place then."""

    ask: Ask
    placeholder: Allocation


class Cancelled(NamedTuple):
    """A placeholder has to stop, because the pod that would take its place is larger."""

    placeholder: Allocation


class Reserved(NamedTuple):
    """A node is reserved for an ask."""

    ask: Ask
    node: NodeUsage


Result = Started | Preempted | Replaced | Cancelled | Reserved


class Line(Protocol):
    """Applications of one leaf that are alike, so that what fails for the first fails for all."""

    @property
    def head(self) -> Application | None:
        """The application that is tried next; None: there is no more."""


class Alone:
    """A line with one application."""

    __slots__ = ("app",)

    def __init__(self, app: Application) -> None:
        self.app = app

    @property
    def head(self) -> Application | None:
        """The application, as long as it asks for pods."""
        return self.app if self.app.asks else None


class Scheduler:
    """The queues, nodes and users of a partition at one time."""

    def __init__(
        self,
        root: QueueUsage,
        nodes: Nodes,
        users: UserUsage,
        *,
        preempts: bool = True,
        compatibility: Compatibility | None = None,
        forgetful: bool = False,
    ) -> None:
        self.root, self.nodes, self.users = root, nodes, users
        self.preempts = preempts
        self.compatibility = compatibility or Compatibility()
        self.forgetful = forgetful
        #: In milliseconds.
        self.now = 0
        #: The lines of each leaf, by path.
        self.lines: dict[str, list[Line]] = {}
        #: Asks for which a node is reserved.
        self.reserved: dict[Ask, NodeUsage] = {}
        #: Applications that have placeholders.
        self.gangs: dict[Application, None] = {}
        self._epoch = 0
        #: The resources in the order of comparison.
        self._names: tuple[str, ...] = ()

    def note_event(self) -> None:
        """Try everything again from now on, because an event may have made room."""
        self._epoch += 1

    def cycle(self) -> Result | None:
        """Return what the next cycle changes; None: nothing."""
        if self.forgetful:
            self.note_event()
        if self._names != tuple(self.root.pending) and set(self._names) != set(self.root.pending):
            self._names = tuple(sorted(self.root.pending))
            self.note_event()
        if not self.nodes.total:
            return None
        if self.reserved and (found := self._try_reserved()) is not None:
            return found
        if self.gangs and (found := self._try_placeholders()) is not None:
            return found
        return self._try_queue(self.root) if self.root.has_pending else None

    # Order

    def _place(self, queue: QueueUsage) -> tuple[Any, ...]:
        """Return the place of a queue among its siblings; smaller ones come first."""
        pending = tuple(-queue.pending.get(name, 0) for name in self._names)
        share, priority = queue.share(), -queue.priority
        above = queue.parent
        if above is None or above.queue.settings.sorts_by_priority:
            return (priority, share, pending, queue.path)
        return (share, priority, pending, queue.path)

    def _is_candidate(self, queue: QueueUsage) -> bool:
        return queue.has_pending and queue.queue.status is not QueueStatus.STOPPED

    def _order(self, queue: QueueUsage) -> list[tuple[Any, ...]]:
        """Return the heap of the children, or of the lines, that have not failed."""
        if queue.epoch != self._epoch:
            queue.epoch = self._epoch
            if queue.queue.is_leaf:
                queue.order = [
                    (application_order(head), index, line)
                    for index, line in enumerate(self.lines.get(queue.path, ()))
                    if (head := line.head) is not None
                ]
            else:
                queue.order = [
                    (self._place(child), 0, child)
                    for child in queue.children.values()
                    if self._is_candidate(child)
                ]
            heapify(queue.order)
        return queue.order

    def _leaves_in_order(self, queue: QueueUsage) -> Iterator[QueueUsage]:
        """Yield the leaves below a queue in the order of turns, also those that have failed."""
        if queue.queue.is_leaf:
            yield queue
            return
        for child in sorted(filter(self._is_candidate, queue.children.values()), key=self._place):
            yield from self._leaves_in_order(child)

    # Turns

    def _try_queue(self, queue: QueueUsage) -> Result | None:
        if queue.queue.is_leaf:
            return self._try_leaf(queue)
        order = self._order(queue)
        while order:
            child = heappop(order)[2]
            found = self._try_queue(child)
            if found is not None:
                if self._is_candidate(child):
                    heappush(order, (self._place(child), 0, child))
                return found
        return None

    def _try_leaf(self, leaf: QueueUsage) -> Result | None:
        order = self._order(leaf)
        attempts = _Attempts()
        while order:
            _, index, line = heappop(order)
            app = line.head
            if app is None:
                continue
            found = self._try_application(app, attempts)
            if found is not None:
                head = line.head
                if head is not None:
                    heappush(order, (application_order(head), index, line))
                return found
        return None

    def _try_application(self, app: Application, attempts: _Attempts) -> Result | None:
        queue, settings = app.queue, app.queue.queue.settings
        if not self.may_run(app) or app.backoff_until > self.now:
            return None
        failed = 0
        for ask in app.asks:
            if settings.backoff and failed >= settings.backoff:
                app.backoff_until = self.now + settings.backoff_delay
                return None
            if ask.task_group and app.is_replaceable(ask):
                continue
            if not self.users.fits(app, ask.resources):
                ask.note(Message.USER_QUOTA)
                continue
            if queue.refusing(ask.resources) is not None:
                found = self._try_preemption(ask, attempts, tried_nodes=False)
                if found is not None:
                    return found
                ask.note(Message.QUEUE_QUOTA)
                continue
            if ask.required_node is not None:
                found = self._try_required_node(ask)
                if found is not None:
                    return found
                continue
            node = self._find_node(ask)
            if node is not None:
                return Started(self.start(ask, node))
            found = self._try_preemption(ask, attempts, tried_nodes=True)
            if found is not None:
                return found
            failed += 1
        return None

    def may_run(self, app: Application) -> bool:
        """Return whether an application runs, or may begin to run by all numbers of them."""
        if app.state is not AppState.ACCEPTED:
            return app.state in (AppState.RUNNING, AppState.RESUMING)
        return app.queue.refusing_count(app) is None and self.users.may_run(app)

    def _find_node(self, ask: Ask) -> NodeUsage | None:
        if not ask.app.queue.can_charge(ask.resources):
            return None
        for node in self.nodes:
            if node.reserved is not None and node.reserved is not ask:
                continue
            if (ask.allowed is None or node.name in ask.allowed) and node.has_room(ask.resources):
                return node
        return None

    # Changes

    def start(self, ask: Ask, node: NodeUsage, key: str | None = None) -> Allocation:
        """Give a node to one pod of an ask."""
        app = ask.app
        app.withdraw(ask, 1)
        self.unreserve(ask)
        allocation = Allocation(key=ask.key if key is None else key, ask=ask, node=node)
        self.nodes.start(allocation)
        self.take(allocation)
        return allocation

    def take(self, allocation: Allocation) -> None:
        """Charge the queues and users of a pod whose node is charged already."""
        app = allocation.app
        app.allocations[allocation.key] = allocation
        app.allocated = plus(app.allocated, allocation.resources)
        app.queue.change_allocated(allocation.resources)
        self.users.charge(app, allocation.resources)
        app.idle_since = None
        if allocation.ask.is_placeholder:
            self._take_placeholder(app, allocation)
        else:
            self.run(app)

    def _take_placeholder(self, app: Application, allocation: Allocation) -> None:
        self.gangs[app] = None
        app.allocated_placeholders = plus(app.allocated_placeholders, allocation.resources)
        gang = app.gang
        if gang is None:
            return
        if gang.started is None:
            gang.started = self.now
        if not any(minus(gang.total, app.allocated_placeholders).values()):
            self.run(app)
        if app.state is AppState.ACCEPTED:
            app.queue.accept(app)

    def run(self, app: Application) -> None:
        """Count an application as running, whatever the numbers of applications allow."""
        if app.state is not AppState.RUNNING:
            app.state = AppState.RUNNING
            app.queue.start(app, is_clamped=self.compatibility.clamped_application_count)
            app.idle_since = None

    def stop(self, allocation: Allocation) -> None:
        """Free what a pod uses, because it has stopped."""
        app = allocation.app
        del app.allocations[allocation.key]
        self.nodes.stop(allocation)
        app.allocated = minus(app.allocated, allocation.resources)
        app.queue.change_allocated({name: -value for name, value in allocation.resources.items()})
        if allocation.is_preempted:
            app.queue.change_preempting(
                {name: -value for name, value in allocation.resources.items()}
            )
        if allocation.ask.is_placeholder:
            app.allocated_placeholders = minus(app.allocated_placeholders, allocation.resources)
            if not any(each.ask.is_placeholder for each in app.allocations.values()):
                self.gangs.pop(app, None)
        is_idle = not (app.allocations or app.asks)
        self.users.discharge(app, allocation.resources, ends=is_idle)
        if is_idle:
            self.complete(app)
        self.note_event()

    def complete(self, app: Application) -> None:
        """Count an application no more that has neither pods nor asks."""
        if app.state in (AppState.RUNNING, AppState.ACCEPTED):
            app.queue.stop(app, was_running=app.state is AppState.RUNNING)
            app.state = AppState.COMPLETING
            app.idle_since = self.now

    def replace(self, placeholder: Allocation, ask: Ask, node: NodeUsage) -> Allocation:
        """Give the node of a placeholder that has stopped to one pod of an ask."""
        # The pod is counted first, so that the application is never idle.
        started = self.start(ask, node)
        self.stop(placeholder)
        return started

    def fail(self, app: Application) -> None:
        """Withdraw all asks of an application, and count it no more."""
        for ask in list(app.asks):
            self.unreserve(ask)
            app.withdraw(ask, ask.pending)
        app.queue.stop(app, was_running=app.state is AppState.RUNNING)
        app.state = AppState.FAILING if app.allocations else AppState.FAILED
        self.note_event()

    def unreserve(self, ask: Ask) -> None:
        """Give up the node that is reserved for an ask."""
        node = self.reserved.pop(ask, None)
        if node is not None:
            node.reserved = None
            self.note_event()

    def _reserve(self, ask: Ask, node: NodeUsage) -> None:
        self.unreserve(ask)
        self.reserved[ask] = node
        node.reserved = ask

    # Reserved nodes

    def _try_reserved(self) -> Result | None:
        waiting = {ask.app.queue.path for ask in self.reserved}
        for leaf in self._leaves_in_order(self.root):
            if leaf.path in waiting:
                asks = [ask for ask in self.reserved if ask.app.queue is leaf]
                for ask in sorted(asks, key=lambda each: (application_order(each.app), each.place)):
                    found = self._try_reservation(ask)
                    if found is not None:
                        return found
        return None

    def _try_reservation(self, ask: Ask) -> Result | None:
        app, node = ask.app, self.reserved[ask]
        if not self.users.fits(app, ask.resources) or app.queue.refusing(ask.resources):
            return None
        if ask.required_node is not None:
            if not node.has_room(ask.resources):
                return None if ask.has_preempted else self._preempt_on_node(ask, node)
        elif not node.has_room(ask.resources):
            other = self._find_node(ask)
            return Started(self.start(ask, other)) if other is not None else None
        if not app.queue.can_charge(ask.resources):
            return None
        return Started(self.start(ask, node))

    def _try_required_node(self, ask: Ask) -> Result | None:
        node = self.nodes.get(ask.required_node or "")
        if node is None or node.reserved is ask:
            return None
        if node.reserved is not None:
            if node.reserved.required_node is not None:
                return None
            # An ask that may run elsewhere gives way to one that may not.
            self.unreserve(node.reserved)
        if node.has_room(ask.resources) and ask.app.queue.can_charge(ask.resources):
            return Started(self.start(ask, node))
        self._reserve(ask, node)
        return Reserved(ask, node)

    def _preempt_on_node(self, ask: Ask, node: NodeUsage) -> Result | None:
        victims = victims_on_node(ask, node)
        if victims is None:
            ask.note(Message.REQUIRED_NODE)
            return None
        self.mark(victims)
        ask.has_preempted = True
        return Preempted(ask, victims)

    # Preemption

    def _try_preemption(self, ask: Ask, attempts: _Attempts, *, tried_nodes: bool) -> Result | None:
        if not self.preempts:
            return None
        if not self._may_preempt(ask):
            ask.note(Message.PRECONDITIONS)
            ask.note(Message.NO_PREEMPTION)
            return None
        if not attempts.take():
            ask.note(Message.ATTEMPTS_EXHAUSTED)
            return None
        ask.preemption_tried = self.now
        found = find_victims(
            ask, self.root, self.nodes, self.compatibility, tried_nodes=tried_nodes
        )
        if isinstance(found, Message):
            ask.note(found)
        if not isinstance(found, Preemption):
            ask.note(Message.NO_PREEMPTION)
            return None
        self.mark(found.victims)
        ask.has_preempted = True
        self._reserve(ask, found.node)
        return Preempted(ask, found.victims)

    def _may_preempt(self, ask: Ask) -> bool:
        delay = ask.app.queue.queue.settings.preemption_delay
        tried = ask.preemption_tried
        return (
            ask.may_preempt
            and not ask.has_preempted
            and ask.required_node is None
            and self.now >= ask.created + delay
            and (tried is None or self.now >= tried + _ATTEMPT_INTERVAL)
        )

    def mark(self, victims: Iterable[Allocation]) -> None:
        """Count pods as stopping for others."""
        for victim in victims:
            victim.is_preempted = victim.is_released = True
            victim.app.queue.change_preempting(victim.resources)

    # Placeholders

    def _try_placeholders(self) -> Result | None:
        waiting = {app.queue.path for app in self.gangs}
        for leaf in self._leaves_in_order(self.root):
            if leaf.path not in waiting:
                continue
            apps = [app for app in self.gangs if app.queue is leaf and app.asks]
            for app in sorted(apps, key=application_order):
                found = self._replace_placeholder(app)
                if found is not None:
                    return found
        return None

    def _replace_placeholder(self, app: Application) -> Replaced | Cancelled | None:
        for ask in app.asks:
            if ask.is_placeholder or not ask.task_group:
                continue
            for each in list(app.allocations.values()):
                if (
                    not each.ask.is_placeholder
                    or each.is_released
                    or each.ask.task_group != ask.task_group
                ):
                    continue
                each.is_released = True
                if any(value < 0 for value in minus(each.resources, ask.resources).values()):
                    return Cancelled(each)
                return Replaced(ask, each)
        return None


class _Attempts:
    """How many asks of a leaf may still try to preempt in this cycle."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = _MOST_ATTEMPTS

    def take(self) -> bool:
        """Use one attempt; return whether there was one."""
        self._left -= 1
        return self._left >= 0
