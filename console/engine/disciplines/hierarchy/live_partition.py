"""
A partition of a live state: its queues and scheduler, and the lines of its pending workloads.

The pods of a pending class are counted together. A member of the class becomes an application
when its turn comes, and has a line of its own after its first pod.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from console.engine.disciplines.hierarchy.application_builder import ApplicationBuilder
from console.engine.disciplines.hierarchy.applications import Application, AppState, Ask
from console.engine.disciplines.hierarchy.nodes import Nodes
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.quota_preemption import QuotaChanges
from console.engine.disciplines.hierarchy.resources import Resources, plus, times
from console.engine.disciplines.hierarchy.runtime_queue import ChangeKind, RuntimeQueue
from console.engine.disciplines.hierarchy.scheduler import Alone, Line, Scheduler
from console.engine.disciplines.hierarchy.spec import Compatibility, Partition
from console.engine.disciplines.hierarchy.tree import RuntimeTree
from console.engine.disciplines.hierarchy.users import UserUsage
from console.engine.live.live_tree import AnyQueue
from console.engine.pending.pending_class import Pending, PendingClass

if TYPE_CHECKING:
    from console.engine.state import State


@dataclass(slots=True)
class Waiting:
    """A pending class as it is counted."""

    count: int
    #: What one member asks for, and the number of its pods.
    amount: Resources
    pods: int
    priority: int


class ClassLine:
    """The members of a pending class, in the order of submission."""

    __slots__ = ("_app", "_members", "_partition", "cls", "queue")

    def __init__(self, partition: LivePartition, queue: QueueUsage, cls: PendingClass) -> None:
        self._partition, self.queue, self.cls = partition, queue, cls
        self._members = cls.members()
        self._app = self._next()

    @property
    def head(self) -> Application | None:
        """The first member without pods; after its first pod, it has a line of its own."""
        app = self._app
        if app is not None and app.allocations:
            self._partition.leave_class(self, app)
            app = self._app = self._next()
        return app

    def _next(self) -> Application | None:
        member = next(self._members, None)
        if member is None:
            return None
        return self._partition.pending_application(member, self.queue)


@dataclass(slots=True, eq=False)
class LivePartition:
    """One partition of the policy with its scheduler."""

    partition: Partition
    tree: RuntimeTree
    users: UserUsage
    builder: ApplicationBuilder
    compatibility: Compatibility
    #: In milliseconds.
    now: int = 0
    usages: dict[str, QueueUsage] = field(default_factory=dict)
    scheduler: Scheduler = field(init=False)
    #: By name of the queue and key of the class.
    waiting: dict[tuple[str, str], Waiting] = field(default_factory=dict)
    #: What an application stands for.
    pending: dict[Application, Pending] = field(default_factory=dict)
    class_lines: list[ClassLine] = field(default_factory=list)
    #: A queue outside the tree, for workloads of queues of another language: they use nodes.
    outside: QueueUsage = field(
        default_factory=lambda: QueueUsage(
            RuntimeQueue("", None, is_leaf=True, is_managed=False), None
        )
    )
    #: Queues whose usage exceeds their maximum since the world was made.
    quota_changes: QuotaChanges = field(default_factory=QuotaChanges)
    #: Asks for which others have stopped, or have to stop.
    claiming: list[Ask] = field(default_factory=list)

    def __post_init__(self) -> None:
        for queue in self.tree.queues.values():
            self._add_usage(queue)
        self.scheduler = Scheduler(
            self.usages[self.tree.root.path],
            Nodes(self.partition.node_order, self.partition.weights),
            self.users,
            preempts=self.partition.preempts,
            compatibility=self.compatibility,
            attempt_interval=0,
            waits_for_stopping=True,
            # What has no room is not tried again before an event may have made some.
            pauses=False,
        )

    def _add_usage(self, queue: RuntimeQueue) -> QueueUsage:
        parent = None if queue.parent is None else self.usages[queue.parent.path]
        found = self.usages[queue.path] = QueueUsage(queue, parent)
        return found

    def usage(self, name: str) -> QueueUsage:
        """Return a queue by its full name; it is created if a rule has created it before."""
        path = name.removeprefix(self.partition.prefix)
        found = self.usages.get(path)
        if found is None:
            for change in self.tree.restore(path):
                if change.kind is ChangeKind.CREATED:
                    self._add_usage(change.queue)
            found = self.usages[path]
        return found

    def tidy(self) -> None:
        """Remove the created queues in which nothing runs or waits."""
        removed = self.tree.tidy(self._is_empty)
        for change in removed:
            usage = self.usages.pop(change.queue.path)
            if usage.parent is not None:
                del usage.parent.children[change.queue.name]
            self.scheduler.applications.pop(usage, None)
            self.scheduler.lines.pop(usage.path, None)
        if removed:
            self.scheduler.root.forget_maximum()
            self.scheduler.note_event()

    def _is_empty(self, queue: RuntimeQueue) -> bool:
        usage = self.usages.get(queue.path)
        return usage is None or not (
            usage.pending_count or usage.running or self.scheduler.applications.get(usage)
        )

    def full_name(self, usage: QueueUsage) -> str:
        """Return the name of a queue in the policy."""
        return self.partition.full_name(usage.path)

    def begin_quota_delays(self, now: int) -> None:
        """Begin to wait for queues above their maximum, if pods stop for it in this partition."""
        if self.partition.preempts_over_maximum:
            for usage in self.usages.values():
                # The maximum of a root is what the nodes offer: less of that is no new config.
                if usage.parent is not None:
                    self.quota_changes.exceed(usage, now)

    # Pending workloads

    def leave_class(self, line: ClassLine, app: Application) -> None:
        """Give a member that has its first pods a line of its own."""
        self.waiting[self.full_name(line.queue), line.cls.key].count -= 1
        self.scheduler.add_line(app.queue, Alone(app))

    def _count(self, name: str, key: str, member: Pending | None, count: int) -> None:
        """Count what *count* pending workloads like *member* ask for; the key is any name."""
        known = self.waiting.get((name, key))
        if known is not None and known.count == count:
            return
        if known is None:
            assert member is not None
            amount, pods = self.builder.asked(member.workload)
            known = self.waiting[name, key] = Waiting(0, amount, pods, member.priority)
        change = count - known.count
        if known.pods:
            amount = times(known.amount, change)
            self.usage(name).change_pending(amount, known.pods * change, known.priority)
        known.count = count
        if not count:
            del self.waiting[name, key]

    def pending_application(self, pending: Pending, queue: QueueUsage) -> Application:
        """Return a pending workload as an application that is counted already."""
        app = self.builder.application(pending.workload, queue)
        app.asks = sorted(
            (
                self.builder.ask(
                    app,
                    pending.workload,
                    pod_set,
                    priority=pending.priority,
                    submitted=pending.workload.pending_since,
                    count=pod_set.count,
                )
                for pod_set in pending.workload.pod_sets
                if pod_set.count
            ),
            key=lambda each: each.place,
        )
        for ask in app.asks:
            app.pending = plus(app.pending, times(ask.resources, ask.pending))
        app.unit = self.builder.unit_of(pending, app, self.now)
        app.state = AppState.ACCEPTED
        self.pending[app] = pending
        return app

    # Lines

    def take_lines(self, state: State, growing: list[Application]) -> None:
        """Use the pending workloads of *state* and *growing* applications as lines of leaves."""
        for app in self.pending:
            if not app.allocations:
                self.users.forget(app)
        self.pending.clear()
        self.class_lines.clear()
        self.claiming.clear()
        lines: dict[str, list[Line]] = {}
        for name, queue in self._queues(state):
            if not (queue.pending.classes or queue.preemptors):
                continue
            usage = self.usage(name)
            lines.setdefault(usage.path, []).extend(self._lines_of_queue(usage, queue))
        for app in growing:
            for ask in app.asks:
                ask.messages.clear()
            lines.setdefault(app.queue.path, []).append(Alone(app))
        self.scheduler.lines = lines

    def _queues(self, state: State) -> Iterator[tuple[str, AnyQueue]]:
        """Yield the queues of the partition that get turns."""
        for name, queue in state.queues.items():
            if queue.barrier is None and self.has_queue(name):
                yield name, queue

    def has_queue(self, name: str) -> bool:
        """Return whether the name of a queue is one of this partition."""
        prefix = self.partition.prefix
        return name.startswith(prefix) if prefix else ":" not in name.partition(".")[0]

    def _lines_of_queue(self, usage: QueueUsage, queue: AnyQueue) -> Iterator[Line]:
        for each in queue.preemptors.values():
            app = self.pending_application(each.pending, usage)
            self.claiming.extend(app.asks)
            yield Alone(app)
        for cls in queue.pending.classes.values():
            head = cls.head
            if head.route.problem is None and head.yields_to is None:
                line = ClassLine(self, usage, cls)
                self.class_lines.append(line)
                if head is queue.pending.sticky and line.head is not None:
                    self.claiming.extend(line.head.asks)
                yield line

    def end_claims(self, state: State) -> bool:
        """
        End the claims of workloads that did not start after others had stopped for them.

        Returns whether there were any: then others may use the room. A state that is rebuilt from
        rows does not know them.
        """
        claimed = [
            queue
            for name, queue in state.queues.items()
            if queue.pending.sticky is not None and self.has_queue(name)
        ]
        for queue in claimed:
            queue.pending.sticky = None
        return bool(claimed)

    def count_pending(self, state: State) -> None:
        """Count what pending workloads of *state* ask for."""
        present = set()
        for name, queue in self._queues(state):
            for key, cls in queue.pending.classes.items():
                head = cls.head
                if head.route.problem is None and head.yields_to is None:
                    present.add((name, key))
                    self._count(name, key, head, len(cls))
            for uid, each in queue.preemptors.items():
                present.add((name, uid))
                self._count(name, uid, each.pending, 1)
        for name, key in [each for each in self.waiting if each not in present]:
            self._count(name, key, None, 0)
