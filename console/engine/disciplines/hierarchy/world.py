"""
A partition with its applications over time: submissions, asks, releases, configs and cycles.

It plays YuniKorn's own cases: every pod is an ask of its own, and placeholders are pods.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.hierarchy import placement
from console.engine.disciplines.hierarchy.applications import (
    Allocation,
    Application,
    AppState,
    Ask,
    Gang,
    NodeUsage,
)
from console.engine.disciplines.hierarchy.nodes import Nodes
from console.engine.disciplines.hierarchy.properties import SortPolicy
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.quota_preemption import QuotaChanges, quota_victims
from console.engine.disciplines.hierarchy.resources import Resources, fits, least
from console.engine.disciplines.hierarchy.runtime_queue import (
    ChangeKind,
    QueueChange,
    RuntimeQueue,
)
from console.engine.disciplines.hierarchy.scheduler import (
    Alone,
    Cancelled,
    Preempted,
    Replaced,
    Result,
    Scheduler,
    Started,
)
from console.engine.disciplines.hierarchy.spec import DEFAULT_PARTITION, HierarchySpec
from console.engine.disciplines.hierarchy.submission import submit
from console.engine.disciplines.hierarchy.tree import RuntimeTree, limits_of
from console.engine.disciplines.hierarchy.users import UserUsage

#: Milliseconds after which an idle application is complete, and between clean-ups of queues.
_COMPLETION: Final = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened to one pod."""

    do: str
    app: str
    key: str


@dataclass(slots=True)
class _Exit:
    """A pod that has to stop, and the ask that takes its place, if any."""

    allocation: Allocation
    successor: Ask | None = None
    do: str = ""


@dataclass(slots=True, kw_only=True)
class World:
    """A partition of a config with what runs in it."""

    spec: HierarchySpec
    partition: str = DEFAULT_PARTITION
    #: Whether victims stop after the cycle that chose them; otherwise when nothing else moves.
    stops_at_once: bool = True
    forgetful: bool = True
    now: int = 0
    tree: RuntimeTree = field(init=False)
    scheduler: Scheduler = field(init=False)
    users: UserUsage = field(init=False, default_factory=UserUsage)
    usages: dict[str, QueueUsage] = field(init=False, default_factory=dict)
    applications: dict[str, Application] = field(init=False, default_factory=dict)
    quota_changes: QuotaChanges = field(init=False, default_factory=QuotaChanges)
    _exits: list[_Exit] = field(init=False, default_factory=list)
    #: Asks of applications that wait, with a message each; by application and key.
    asks: dict[tuple[str, str], Ask] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.tree = RuntimeTree.build(self.spec, self.partition)
        for queue in self.tree.queues.values():
            self._add_usage(queue)
        partition = self.spec.partitions[self.partition]
        self.scheduler = Scheduler(
            self.usages[self.tree.root.path],
            Nodes(partition.node_order, partition.weights),
            self.users,
            compatibility=self.spec.compatibility,
            forgetful=self.forgetful,
        )
        self._take_settings()

    # Facts

    def add_node(self, name: str, capacity: Resources) -> None:
        """Add a node."""
        self.scheduler.nodes.add(NodeUsage(name, capacity))
        self.tree.set_root_maximum(self.scheduler.nodes.total)
        self.scheduler.root.forget_maximum()
        self.scheduler.note_event()
        self.now += 1

    def submit(self, stated: placement.Application, gang: Gang | None = None) -> str | None:
        """Submit an application; return why it is refused."""
        self.now += 1
        rules = self.spec.partitions[self.partition].rules
        found = submit(self.tree, rules, stated, self.applications, self.partition)
        self._take_changes(found.changes)
        if found.queue is None:
            return found.message
        self._take_changes(self.tree.apply_tags(found.queue, stated.tags))
        usage = self.usages[found.queue.path]
        problem = self._gang_problem(stated.id, usage, gang)
        if problem is not None:
            return problem
        app = Application(
            id=stated.id,
            queue=usage,
            user=found.application.user,
            groups=found.application.groups,
            created=self.now,
            tags=stated.tags,
            gang=gang,
        )
        self.applications[app.id] = self.scheduler.applications[usage][app.id] = app
        self.scheduler.lines.setdefault(usage.path, []).append(Alone(app))
        return None

    def ask(self, ask: Ask) -> str | None:
        """Add an ask of a known application; return why it is refused."""
        self.now += 1
        app = ask.app
        if not any(ask.resources.values()):
            return "allocation contains no resources"
        if any(value < 0 for value in ask.resources.values()):
            return "allocation contains negative resources"
        ask.created = ask.submitted = self.now
        if app.state in (AppState.NEW, AppState.COMPLETING):
            self._revive(app)
        self.asks[app.id, ask.key] = ask
        app.add(ask)
        self.scheduler.note_event()
        return None

    def run(self, ask: Ask, node: str) -> Event:
        """Add a pod that runs already."""
        self.ask(ask)
        found = self.scheduler.nodes.get(node)
        assert found is not None, node
        self.scheduler.start(ask, found)
        for each in ask.app.queue.up:
            self.quota_changes.exceed(each, self.now)
        return Event(do="allocate", app=ask.app.id, key=ask.key)

    def release(self, app_id: str, key: str) -> Event | None:
        """End a pod, or withdraw an ask."""
        self.now += 1
        app = self.applications[app_id]
        allocation = app.allocations.get(key)
        if allocation is not None:
            self._drop_exit(allocation)
            self.scheduler.stop(allocation)
            return Event(do="stop", app=app_id, key=key)
        ask = self.asks.pop((app_id, key), None)
        if ask is not None and ask.pending:
            self.scheduler.unreserve(ask)
            app.withdraw(ask, ask.pending)
            if not (app.asks or app.allocations):
                self.scheduler.complete(app)
            self.scheduler.note_event()
        return None

    def remove(self, app_id: str) -> Iterator[Event]:
        """Remove an application with its pods and asks."""
        self.now += 1
        app = self.applications[app_id]
        for ask in list(app.asks):
            self.scheduler.unreserve(ask)
            app.withdraw(ask, ask.pending)
        for allocation in list(app.allocations.values()):
            self._drop_exit(allocation)
            self.scheduler.stop(allocation)
            yield Event(do="stop", app=app_id, key=allocation.key)
        self.scheduler.complete(app)
        self._forget(app)

    def update(self, spec: HierarchySpec) -> None:
        """Use another config."""
        self.now += 1
        self.spec = spec
        self._take_changes(self.tree.update(spec))
        self._take_settings()

    def wait(self, milliseconds: int) -> list[Event]:
        """Let time pass without cycles."""
        self.now += milliseconds
        events = [event for app in list(self.scheduler.gangs) for event in self._time_out(app)]
        for app in list(self.applications.values()):
            idle = app.idle_since if app.state is AppState.COMPLETING else None
            if idle is not None and self.now >= idle + _COMPLETION:
                self._forget(app)
        self._take_changes(self.tree.clean(self._is_empty))
        return events

    def preempt_over_quota(self) -> list[Event]:
        """Stop pods of queues above a lowered maximum."""
        events = []
        chosen = list(
            quota_victims(
                self.scheduler.root,
                self.scheduler.applications,
                self.quota_changes,
                self.now,
                self.scheduler.compatibility,
            )
        )
        for _, victim in chosen:
            self.scheduler.mark((victim,))
            self._exits.append(_Exit(victim, do="preempt"))
            events.append(Event(do="preempt", app=victim.app.id, key=victim.key))
        self._stop_exits()
        return events

    def settle(self, cycles: int) -> list[Event]:
        """Run at most *cycles* cycles, until four in a row change nothing."""
        events: list[Event] = []
        idle = 0
        while cycles and idle < 4:
            cycles -= 1
            self.scheduler.now = self.now
            found = self.scheduler.cycle()
            idle = 0 if found is not None else idle + 1
            if found is not None:
                events.extend(self._take_result(found))
            if self._exits and (self.stops_at_once or found is None):
                idle = 0
                self._stop_exits()
        return events

    # Internals

    def _revive(self, app: Application) -> None:
        if app.state is AppState.COMPLETING:
            # It takes a place among the running applications again, without any check.
            self.scheduler.run(app)
        else:
            app.state = AppState.ACCEPTED

    def _take_result(self, found: Result) -> Iterator[Event]:
        match found:
            case Started(allocations):
                for each in allocations:
                    yield Event(do="allocate", app=each.app.id, key=each.key)
            case Preempted(_, victims):
                for each in victims:
                    self._exits.append(_Exit(each, do="preempt"))
                    yield Event(do="preempt", app=each.app.id, key=each.key)
            case Replaced(ask, placeholder):
                self._exits.append(_Exit(placeholder, ask, do="replace"))
                yield Event(do="replace", app=placeholder.app.id, key=placeholder.key)
            case Cancelled(placeholder):
                self._exits.append(_Exit(placeholder, do="timeout"))
                yield Event(do="timeout", app=placeholder.app.id, key=placeholder.key)

    def _stop_exits(self) -> None:
        exits, self._exits = self._exits, []
        for each in exits:
            node = each.allocation.node
            successor = each.successor
            if successor is not None and successor.pending:
                # Both change at once, so that nothing else gets the place.
                self.scheduler.replace(each.allocation, successor, node)
            else:
                self.scheduler.stop(each.allocation)

    def _drop_exit(self, allocation: Allocation) -> None:
        self._exits = [each for each in self._exits if each.allocation is not allocation]

    def _time_out(self, app: Application) -> Iterator[Event]:
        gang = app.gang
        if gang is None or gang.started is None or self.now < gang.started + gang.timeout:
            return
        is_waiting = app.state is AppState.ACCEPTED
        placeholders = [
            each
            for each in app.allocations.values()
            if each.ask.is_placeholder and not each.is_released
        ]
        for ask in [each for each in app.asks if each.is_placeholder]:
            app.withdraw(ask, ask.pending)
        if is_waiting:
            # It is not complete when its placeholders have stopped.
            app.state = AppState.RESUMING
        for each in placeholders:
            yield Event(do="timeout", app=app.id, key=each.key)
            self.scheduler.stop(each)
        app.gang = None
        if is_waiting and gang.is_hard:
            self.scheduler.fail(app)
            if app.state is AppState.FAILED:
                self._forget(app)
        elif is_waiting:
            app.queue.stop(app.id, was_running=False)
            app.state = AppState.ACCEPTED

    def _gang_problem(self, app: str, queue: QueueUsage, gang: Gang | None) -> str | None:
        if gang is None or not gang.total:
            return None
        if queue.queue.settings.sort is not SortPolicy.FIFO:
            return (
                f"queue {queue.path} cannot run application {app} with task group request: "
                "unsupported sort type"
            )
        maximum: Resources | None = None
        for each in queue.up[:-1]:
            maximum = least(maximum, each.queue.maximum)
        if not fits(maximum, gang.total):
            return (
                f"queue {queue.path} cannot fit application {app}: task group request "
                f"{go_map(gang.total)} larger than max queue allocation {go_map(maximum or {})}"
            )
        return None

    def _forget(self, app: Application) -> None:
        del self.applications[app.id]
        del self.scheduler.applications[app.queue][app.id]
        lines = self.scheduler.lines[app.queue.path]
        lines[:] = [line for line in lines if not (isinstance(line, Alone) and line.app is app)]
        self.users.forget(app)

    def _is_empty(self, queue: RuntimeQueue) -> bool:
        return not self.scheduler.applications[self.usages[queue.path]]

    def _add_usage(self, queue: RuntimeQueue) -> None:
        parent = None if queue.parent is None else self.usages[queue.parent.path]
        self.usages[queue.path] = QueueUsage(queue, parent)

    def _take_changes(self, changes: Iterable[QueueChange]) -> None:
        for change in changes:
            path = change.queue.path
            if change.kind is ChangeKind.CREATED and path not in self.usages:
                self._add_usage(change.queue)
            elif change.kind is ChangeKind.REMOVED:
                removed = self.usages.pop(path)
                if removed.parent is not None:
                    del removed.parent.children[change.queue.name]
                self.scheduler.lines.pop(path, None)

    def _take_settings(self) -> None:
        partition = self.spec.partitions[self.partition]
        scheduler, compatibility = self.scheduler, self.spec.compatibility
        scheduler.preempts = partition.preempts
        scheduler.compatibility = compatibility
        scheduler.nodes.sort_by(partition.node_order, partition.weights)
        self.users.set_limits(
            limits_of(compatibility, self.tree.queues.values()),
            self.applications.values(),
            keeps_wildcards=compatibility.removed_wildcard_limits,
        )
        scheduler.root.forget_maximum()
        for usage in sorted(self.usages.values(), key=lambda each: -each.queue.depth):
            usage.update_priority()
            self.quota_changes.take(usage, self.now)
        scheduler.note_event()


def go_map(amounts: Mapping[str, int]) -> str:
    """Return amounts as YuniKorn prints them."""
    return "map[" + " ".join(f"{name}:{value}" for name, value in sorted(amounts.items())) + "]"
