"""
The scheduler of one partition: queues in the order of their shares, applications, asks, nodes.

A cycle gives a node to one pod at most, as in YuniKorn. What failed is not tried again until an
event may have made room: the room of queues, users and nodes only shrinks between two events.
`Scheduler.forgetful` tries everything again in each cycle, which decides the same and records
every message that YuniKorn records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol

from console.engine.disciplines.hierarchy.applications import (
    Allocation,
    Application,
    Applications,
    AppState,
    Ask,
    Message,
    NodeUsage,
    application_order,
)
from console.engine.disciplines.hierarchy.nodes import Nodes
from console.engine.disciplines.hierarchy.nomination import Stage
from console.engine.disciplines.hierarchy.preemption import (
    Preemption,
    find_victims,
    guarantee_left,
)
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.required_node import victims_on_node
from console.engine.disciplines.hierarchy.resources import (
    Resources,
    fits,
    fits_exactly,
    fits_strictly,
    minus,
    plus,
    remaining,
    times,
)
from console.engine.disciplines.hierarchy.spec import Compatibility
from console.engine.disciplines.hierarchy.users import Level, UserUsage

#: How many asks of a leaf may try to preempt in one cycle.
_MOST_ATTEMPTS: Final = 10
#: Milliseconds between two attempts of one ask to preempt, in YuniKorn.
ATTEMPT_INTERVAL: Final = 15_000


class Started(NamedTuple):
    """Pods got nodes: one of them, or all that start together."""

    allocations: tuple[Allocation, ...]


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


class Refused(NamedTuple):
    """Why the last ask that was tried of an application has no node."""

    stage: Stage
    ask: Ask | None = None
    #: What is requested: by one pod, or by the pods of a unit up to this one.
    amount: Resources = MappingProxyType({})
    #: The queue that has no headroom, or not enough applications.
    queue: QueueUsage | None = None
    #: The level of the user or group whose limit refuses it.
    level: Level | None = None


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
        attempt_interval: int = ATTEMPT_INTERVAL,
        waits_for_stopping: bool = False,
        pauses: bool = True,
    ) -> None:
        self.root, self.nodes, self.users = root, nodes, users
        self.preempts = preempts
        self.compatibility = compatibility or Compatibility()
        self.forgetful = forgetful
        self._attempt_interval = attempt_interval
        #: Whether asks wait for the room of pods that have to stop, before others stop for them.
        self._waits_for_stopping = waits_for_stopping
        #: Whether applications pause after asks without a node, as their queue states.
        self._pauses = pauses
        #: Applications that wait for such room.
        self.waiting: set[Application] = set()
        #: All applications by leaf and id.
        self.applications: Applications = defaultdict(dict)
        #: In milliseconds.
        self.now = 0
        #: The lines of each leaf, by path.
        self.lines: dict[str, list[Line]] = {}
        #: Asks for which a node is reserved.
        self.reserved: dict[Ask, NodeUsage] = {}
        #: Applications that have placeholders.
        self.gangs: dict[Application, None] = {}
        #: Why applications had no node at their last turn.
        self.refusals: dict[Application, Refused] = {}
        self._epoch = 0
        #: The time of the last cycle.
        self._last_cycle = 0
        #: The resources in the order of comparison.
        self._names: tuple[str, ...] = ()

    def add_line(self, leaf: QueueUsage, line: Line) -> None:
        """Add applications to a leaf, also during a cycle."""
        lines = self.lines.setdefault(leaf.path, [])
        lines.append(line)
        head = line.head
        if leaf.epoch == self._epoch and head is not None:
            heappush(leaf.order, (application_order(head), len(lines) - 1, line))

    def note_event(self) -> None:
        """Try everything again from now on, because an event may have made room."""
        self._epoch += 1

    def cycle(self) -> Result | None:
        """Return what the next cycle changes; None: nothing."""
        if self.forgetful or self.now != self._last_cycle:
            # Delays of preemption may have passed.
            self.note_event()
        self._last_cycle = self.now
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
        return queue.has_pending

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
        found = self._try_former_leaf(queue)
        if found is not None:
            return found
        order = self._order(queue)
        found, unfinished = None, []
        while order and found is None:
            child = heappop(order)[2]
            found = self._try_queue(child)
            if found is not None or child.order:
                unfinished.append(child)
        for child in unfinished:
            if self._is_candidate(child):
                heappush(order, (self._place(child), 0, child))
        return found

    def _try_former_leaf(self, queue: QueueUsage) -> Result | None:
        """Try the applications of a parent queue, which was a leaf in an earlier config."""
        lines = self.lines.get(queue.path)
        if not lines or self.compatibility.stranded_applications:
            return None
        attempts = _Attempts()
        heads = [head for line in lines if (head := line.head) is not None]
        for app in sorted(heads, key=application_order):
            found = self._try_application(app, attempts)
            if found is not None:
                return found
        return None

    def _try_leaf(self, leaf: QueueUsage) -> Result | None:
        order = self._order(leaf)
        attempts = _Attempts()
        found, unfinished = None, []
        while order and found is None:
            _, index, line = heappop(order)
            app = line.head
            if app is None:
                continue
            attempts.has_refused = False
            found = self._try_application(app, attempts)
            if found is not None or attempts.has_refused:
                unfinished.append((index, line))
        for index, line in unfinished:
            head = line.head
            if head is not None:
                heappush(order, (application_order(head), index, line))
        return found

    def _try_application(self, app: Application, attempts: _Attempts) -> Result | None:
        settings = app.queue.queue.settings
        refused = self._not_runnable(app)
        if refused is not None:
            self.refusals[app] = refused
            return None
        if app.unit:
            return self._start_together(app)
        failed = 0
        for ask in app.asks:
            if self._pauses and settings.backoff and failed >= settings.backoff:
                app.backoff_until = self.now + settings.backoff_delay
                return None
            if ask.task_group and app.is_replaceable(ask):
                continue
            found = self._try_ask(ask, attempts)
            if isinstance(found, Refused):
                self.refusals[app] = found
                failed += found.stage is Stage.NO_NODE
            elif found is not None:
                return found
        return None

    def _try_ask(self, ask: Ask, attempts: _Attempts) -> Result | Refused | None:
        refused = self._refuses(ask)
        if refused is not None and refused.level is not None:
            ask.note(Message.USER_QUOTA)
            return refused
        if refused is not None:
            found = self._try_preemption(ask, attempts, tried_nodes=False)
            if found is None:
                ask.note(Message.QUEUE_QUOTA)
            return found or refused
        if ask.required_node is not None and self._waits_for_stopping:
            return self._claim_required_node(ask)
        if ask.required_node is not None:
            return self._try_required_node(ask)
        node = self._find_node(ask)
        if node is not None:
            return Started((self.start(ask, node),))
        found = self._try_preemption(ask, attempts, tried_nodes=True)
        return found or Refused(Stage.NO_NODE, ask, ask.resources)

    def _not_runnable(self, app: Application) -> Refused | None:
        """Return why an application gets no turn."""
        if app.state is AppState.ACCEPTED:
            full = app.queue.refusing_count(app.id)
            if full is not None:
                return Refused(Stage.APPLICATION_LIMIT_QUEUE, queue=full)
            level = self.users.refusing_run(app)
            if level is not None:
                stage = (
                    Stage.APPLICATION_LIMIT_GROUP
                    if level.is_group
                    else Stage.APPLICATION_LIMIT_USER
                )
                return Refused(stage, level=level)
        return Refused(Stage.BACKOFF) if app.backoff_until > self.now else None

    def _start_together(self, app: Application) -> Started | None:
        """Start all pods of a unit, or none of them."""
        started: list[Allocation] = []
        amount: Resources = {}
        for ask, count in app.unit:
            for _ in range(count):
                amount = plus(amount, ask.resources)
                refused = self._refuses(ask) or Refused(Stage.NO_NODE, ask)
                node = self._find_node(ask) if refused.stage is Stage.NO_NODE else None
                if node is None:
                    self.refusals[app] = refused._replace(amount=amount)
                    self._undo(app, started)
                    return None
                started.append(self.start(ask, node))
        app.unit = ()
        return Started(tuple(started))

    def _refuses(self, ask: Ask) -> Refused | None:
        """Return which limit or queue refuses one pod of an ask."""
        level = self.users.refusing(ask.app, ask.resources)
        if level is not None:
            stage = Stage.GROUP_QUOTA if level.is_group else Stage.USER_QUOTA
            return Refused(stage, ask, ask.resources, level=level)
        full = ask.app.queue.refusing(ask.resources)
        if full is None:
            return None
        return Refused(Stage.QUEUE_QUOTA, ask, ask.resources, queue=full)

    def _undo(self, app: Application, started: list[Allocation]) -> None:
        """Take back pods that cannot start without others."""
        if not started:
            return
        epoch = self._epoch
        for allocation in reversed(started):
            self.stop(allocation)
            app.restore(allocation.ask)
        app.queue.stop(app.id, was_running=True)
        app.state = AppState.ACCEPTED
        self.users.discharge(app, {}, ends=True)
        # Nothing has changed.
        self._epoch = epoch

    def _find_node(self, ask: Ask) -> NodeUsage | None:
        if not ask.app.queue.can_charge(ask.resources):
            return None
        for node in self.nodes:
            if ask.allowed is not None and node.name not in ask.allowed:
                continue
            if node.reserved is None or node.reserved is ask:
                if node.has_room(ask.resources):
                    return node
            elif not self.compatibility.reserved_nodes_are_closed and node.has_room(
                plus(ask.resources, self._kept(node))
            ):
                return node
        return None

    def _kept(self, node: NodeUsage) -> Resources:
        """Return what is free on a node and kept for the ask that it is reserved for."""
        assert node.reserved is not None
        wanted = times(node.reserved.resources, node.reserved.kept)
        # A node that has become smaller may have less than nothing.
        free = {name: max(0, node.available.get(name, 0)) for name in wanted}
        return {name: min(value, free[name]) for name, value in wanted.items()}

    # Changes

    def start(self, ask: Ask, node: NodeUsage, key: str | None = None) -> Allocation:
        """Give a node to one pod of an ask."""
        app = ask.app
        app.withdraw(ask, 1)
        if ask.kept > 1 and ask.pending:
            ask.kept -= 1
        else:
            self.unreserve(ask)
        if key is None:
            key = f"{ask.key}-{app.next_pod}" if ask.is_repeated else ask.key
            app.next_pod += 1
        allocation = Allocation(key=key, ask=ask, node=node)
        self.nodes.start(allocation)
        self.take(allocation)
        return allocation

    def add_running(self, ask: Ask, node: NodeUsage) -> Allocation:
        """Count a pod that runs on a node already."""
        app = ask.app
        allocation = Allocation(key=f"{ask.key}-{app.next_pod}", ask=ask, node=node)
        app.next_pod += 1
        self.nodes.start(allocation)
        self.take(allocation)
        self.note_event()
        return allocation

    def remove(self, app: Application) -> None:
        """Count an application, its pods and its asks no more."""
        for ask in list(app.asks):
            self.unreserve(ask)
            app.withdraw(ask, ask.pending)
        for allocation in list(app.allocations.values()):
            self.stop(allocation)
        self.complete(app)
        self.users.forget(app)
        self.refusals.pop(app, None)

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
            app.queue.accept(app.id)

    def run(self, app: Application) -> None:
        """Count an application as running, whatever the numbers of applications allow."""
        if app.state is not AppState.RUNNING:
            app.state = AppState.RUNNING
            app.queue.start(app.id, is_clamped=self.compatibility.clamped_application_count)
            app.idle_since = None

    def stop(self, allocation: Allocation) -> None:
        """Free what a pod uses, because it has stopped."""
        app = allocation.app
        del app.allocations[allocation.key]
        self.nodes.stop(allocation)
        app.allocated = minus(app.allocated, allocation.resources)
        app.queue.change_allocated(times(allocation.resources, -1))
        if allocation.is_preempted:
            app.queue.change_preempting(times(allocation.resources, -1))
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
            app.queue.stop(app.id, was_running=app.state is AppState.RUNNING)
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
        for ask in app.asks:
            self.unreserve(ask)
            app.withdraw(ask, ask.pending)
        app.queue.stop(app.id, was_running=app.state is AppState.RUNNING)
        app.state = AppState.FAILING if app.allocations else AppState.FAILED
        self.note_event()

    def unreserve(self, ask: Ask) -> None:
        """Give up the node that is reserved for an ask."""
        node = self.reserved.pop(ask, None)
        ask.kept = 1
        if node is not None:
            node.reserved = None
            self.note_event()

    def reserve_for(self, asks: Iterable[Ask]) -> None:
        """
        Reserve a node for each of *asks*, in order, for which one will have room.

        Room is kept there for as many pods as the guarantees of their queue cover, at least one.
        """
        for ask in asks:
            node = self._future_node(ask)
            if node is not None:
                self.reserve(ask, node)
                ask.kept = self._covered_pods(ask, node)

    def _covered_pods(self, ask: Ask, node: NodeUsage) -> int:
        """Return for how many pods a node has room later, as far as guarantees cover them."""
        left = guarantee_left(ask.app.queue, self.compatibility)
        if left is None:
            return 1
        future, count = plus(node.available, node.releasing), 1
        while count < ask.pending:
            amount = times(ask.resources, count + 1)
            if not (fits_exactly(left, amount) and fits_strictly(future, amount)):
                break
            count += 1
        return count

    def release_reservations(self) -> None:
        """Give up all reserved nodes."""
        for ask, node in self.reserved.items():
            ask.kept, node.reserved = 1, None
        self.reserved.clear()

    def _future_node(self, ask: Ask) -> NodeUsage | None:
        """Return a node that has room, and whose queues have, when released pods have stopped."""
        for queue in ask.app.queue.up:
            maximum = queue.queue.maximum
            stays = minus(queue.allocated, queue.preempting)
            if maximum is not None and not fits(remaining(maximum, stays), ask.resources):
                return None
        for node in self.nodes:
            is_allowed = ask.allowed is None or node.name in ask.allowed
            future = plus(node.available, node.releasing)
            if (
                node.accepts
                and is_allowed
                and node.reserved in (None, ask)
                and fits_strictly(future, ask.resources)
            ):
                return node
        return None

    def reserve(self, ask: Ask, node: NodeUsage) -> None:
        """Keep the room of a node for an ask until it starts."""
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
        if self._not_runnable(app) is not None or self._refuses(ask) is not None:
            return None
        if ask.required_node is not None:
            if not node.has_room(ask.resources):
                is_done = ask.has_preempted or self._waits_for_stopping
                return None if is_done else self._preempt_on_node(ask, node)
        elif not node.has_room(ask.resources):
            other = self._find_node(ask)
            return Started((self.start(ask, other),)) if other is not None else None
        if not app.queue.can_charge(ask.resources):
            return None
        return Started((self.start(ask, node),))

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
            return Started((self.start(ask, node),))
        self.reserve(ask, node)
        return Reserved(ask, node)

    def _claim_required_node(self, ask: Ask) -> Result | Refused | None:
        """Start a pod on its node; or else wait there for pods that stop, or have some stop."""
        found = self._find_node(ask)
        if found is not None:
            return Started((self.start(ask, found),))
        refused = Refused(Stage.NO_NODE, ask, ask.resources)
        node = self.nodes.get(ask.required_node or "")
        if node is None or not node.accepts:
            return refused
        holder = node.reserved
        if holder is not None and holder is not ask and holder.required_node is not None:
            return refused
        victims = victims_on_node(ask, node, after_stopping=True)
        if victims is None:
            ask.note(Message.REQUIRED_NODE)
            return refused
        if holder is not None and holder is not ask:
            # An ask that may run elsewhere gives way to one that may not.
            self.unreserve(holder)
        if holder is not ask:
            self.reserve(ask, node)
        if not victims:
            self.waiting.add(ask.app)
            return None
        self.mark(victims)
        return Preempted(ask, victims)

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
        if self._waits_for_stopping and any(self.root.preempting.values()):
            node = self._future_node(ask)
            if node is not None:
                self.reserve(ask, node)
                self.waiting.add(ask.app)
                return None
        if not attempts.take():
            ask.note(Message.ATTEMPTS_EXHAUSTED)
            return None
        ask.preemption_tried = self.now
        found = find_victims(
            ask, self.applications, self.nodes, self.compatibility, tried_nodes=tried_nodes
        )
        if isinstance(found, Message):
            ask.note(found)
        if not isinstance(found, Preemption):
            ask.note(Message.NO_PREEMPTION)
            return None
        self.mark(found.victims)
        victims = found.victims
        if ask.is_repeated:
            victims += tuple(self._victims_of_further_pods(ask, attempts, tried_nodes=tried_nodes))
        else:
            ask.has_preempted = True
        self.reserve(ask, found.node)
        return Preempted(ask, victims)

    def _victims_of_further_pods(
        self, ask: Ask, attempts: _Attempts, *, tried_nodes: bool
    ) -> Iterator[Allocation]:
        """Yield the victims of the pods of an ask after the first one, which preempt as well."""
        for number in range(1, ask.pending):
            ahead = times(ask.resources, number)
            wanted = plus(ahead, ask.resources)
            if self.users.refusing(ask.app, wanted) is not None or not attempts.take():
                return
            found = find_victims(
                ask,
                self.applications,
                self.nodes,
                self.compatibility,
                tried_nodes=tried_nodes,
                ahead=ahead,
            )
            if not isinstance(found, Preemption):
                return
            self.mark(found.victims)
            yield from found.victims

    def _may_preempt(self, ask: Ask) -> bool:
        delay = ask.app.queue.queue.settings.preemption_delay
        tried = ask.preemption_tried
        return (
            ask.may_preempt
            and not ask.has_preempted
            and ask.required_node is None
            and self.now >= ask.submitted + delay
            and (tried is None or self.now >= tried + self._attempt_interval)
        )

    def mark(self, victims: Iterable[Allocation]) -> None:
        """Count pods as stopping for others."""
        for victim in victims:
            victim.is_preempted = True
            self.nodes.release(victim)
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
                self.nodes.release(each)
                if any(value < 0 for value in minus(each.resources, ask.resources).values()):
                    return Cancelled(each)
                return Replaced(ask, each)
        return None


class _Attempts:
    """How many asks of a leaf may still try to preempt in this cycle; others may in the next."""

    __slots__ = ("_left", "has_refused")

    def __init__(self) -> None:
        self._left = _MOST_ATTEMPTS
        #: Whether an ask was refused an attempt since this was set to false.
        self.has_refused = False

    def take(self) -> bool:
        """Use one attempt; return whether there was one."""
        self._left -= 1
        self.has_refused |= self._left < 0
        return self._left >= 0
