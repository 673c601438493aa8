"""What a state takes over from the turns of a cycle: starts, evictions, and why others wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from console.engine.disciplines.hierarchy.application_builder import starts_together
from console.engine.disciplines.hierarchy.applications import (
    Allocation,
    Application,
    Ask,
    Message,
    NodeUsage,
)
from console.engine.disciplines.hierarchy.checks import refusing_check
from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.live_world import LiveWorld
from console.engine.disciplines.hierarchy.nomination import (
    HierarchyNomination,
    NodeShortage,
    PreemptionVerdict,
    Stage,
)
from console.engine.disciplines.hierarchy.preemption import fence_of, victim_candidates
from console.engine.disciplines.hierarchy.reasons import (
    EXCEEDS_GROUP_LIMIT,
    EXCEEDS_MAXIMUM,
    EXCEEDS_NODES,
    EXCEEDS_USER_LIMIT,
    GANG_HAS_NO_ROOM,
    GANG_TIMEOUT,
    GROUP_OVER_APPLICATIONS,
    GROUP_QUOTA,
    GROWN,
    NO_NODE_HAS_ROOM,
    NO_NODE_MATCHES,
    NO_NODES,
    OVER_APPLICATIONS,
    PODS_LOST,
    PREEMPTED,
    PREEMPTED_ON_NODE,
    QUEUE_QUOTA,
    QUOTA_LOWERED,
    STARTED,
    USER_OVER_APPLICATIONS,
    USER_QUOTA,
    WAITS_FOR_STOPPING,
)
from console.engine.disciplines.hierarchy.requests import usage_of_amounts
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus
from console.engine.disciplines.hierarchy.scheduler import Refused
from console.engine.live.live_tree import AnyQueue, Target
from console.engine.live.pod_changes import placed_pods
from console.engine.model.decision import Assignment, Place, PlacedPods, PodSetAssignment, Resize
from console.engine.model.exceeded import BoundKind, Exceeded
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.pending.pending_class import Pending, PendingClass, Verdict

if TYPE_CHECKING:
    from console.engine.state import State

_REASONS: Final[Mapping[Stage, Reason]] = {
    Stage.APPLICATION_LIMIT_QUEUE: OVER_APPLICATIONS,
    Stage.APPLICATION_LIMIT_USER: USER_OVER_APPLICATIONS,
    Stage.APPLICATION_LIMIT_GROUP: GROUP_OVER_APPLICATIONS,
    Stage.USER_QUOTA: USER_QUOTA,
    Stage.GROUP_QUOTA: GROUP_QUOTA,
    Stage.QUEUE_QUOTA: QUEUE_QUOTA,
}

#: Why a workload can never start, by the first bound that it exceeds.
_NEVER: Final[Mapping[BoundKind, Reason]] = {
    BoundKind.MAXIMUM: EXCEEDS_MAXIMUM,
    BoundKind.USER_LIMIT: EXCEEDS_USER_LIMIT,
    BoundKind.GROUP_LIMIT: EXCEEDS_GROUP_LIMIT,
    BoundKind.NODE_CONSTRAINTS: NO_NODE_MATCHES,
    BoundKind.NODE: EXCEEDS_NODES,
    BoundKind.NODES: EXCEEDS_NODES,
}


@dataclass(slots=True)
class Result:
    """What the turns of a cycle brought to one application."""

    started: list[Allocation] = field(default_factory=list)
    #: Pods that have to stop for it, and why.
    victims: dict[Allocation, Reason] = field(default_factory=dict)

    def stop(self, ask: Ask, victims: Iterable[Allocation]) -> None:
        """Add pods that have to stop for an ask of the application."""
        reason = PREEMPTED if ask.required_node is None else PREEMPTED_ON_NODE
        self.victims.update(dict.fromkeys(victims, reason))


class Outcomes:
    """The changes of a state that follow from the turns of one partition."""

    def __init__(
        self,
        state: State,
        world: LiveWorld,
        partition: LivePartition,
        results: Mapping[Application, Result],
    ) -> None:
        self._state, self._world, self._partition = state, world, partition
        self._results = results
        self._scheduler = partition.scheduler

    def apply(self) -> bool:
        """Change the state; return whether anything was decided."""
        # Nominations are built before the state changes, which they are about.
        nominations = {app: self.nomination(app, each) for app, each in self._results.items()}
        verdicts = self._verdicts()
        for app, result in self._results.items():
            if result.started:
                self._start(app, result, nominations[app])
        for app, result in self._results.items():
            if result.victims:
                self._preempt(app, result, nominations[app])
        for queue, cls, pending, verdict in verdicts:
            if cls.key in queue.pending.classes and cls.head is pending:
                self._state.set_inadmissible(queue, cls, verdict)
        announced = self._announce_losses()
        return bool(self._results) or announced

    def evict_over_maximum(self, victims: Iterable[Allocation]) -> bool:
        """Stop pods of queues above a lowered maximum; return whether there were any."""
        by_app: dict[Application, list[Allocation]] = {}
        for victim in list(victims):
            by_app.setdefault(victim.app, []).append(victim)
        for app, some in by_app.items():
            self._scheduler.mark(some)
            running = self._state.running[app.id]
            if self._stops_entirely(app):
                queue = self._state.queues[running.queue or ""]
                self._state.evict(queue, running, QUOTA_LOWERED)
            else:
                resize = Resize(taken=self._placed(some))
                self._state.resize(running, None, resize, QUOTA_LOWERED)
        return bool(by_app)

    @staticmethod
    def reject_gang(state: State, world: LiveWorld, queue: str, pending: Pending) -> None:
        """Reject a gang whose pods did not all get a node in time."""
        amount, _ = world.builder.asked(pending.workload)
        nomination = HierarchyNomination(
            fits=False,
            pending_reason=GANG_TIMEOUT,
            request=amount,
            user=pending.workload.user,
            usage=usage_of_amounts(amount),
        )
        state.reject(state.queues[queue], pending, nomination, GANG_TIMEOUT)

    # Changes

    def _start(self, app: Application, result: Result, nomination: HierarchyNomination) -> None:
        pending = self._partition.pending.get(app)
        if pending is not None:
            queue = self._state.queues[pending.route.queue or ""]
            assignment = self.assignment(pending, result.started)
            self._state.admit(
                queue, pending, replace(nomination, assignment=assignment), assignment
            )
        else:
            running = self._state.running[app.id]
            lost = tuple(
                pods for pods in placed_pods(running.assignment) if self._world.is_lost(pods.place)
            )
            resize = Resize(granted=self._placed(result.started), taken=lost)
            self._state.resize(running, nomination, resize, GROWN)
        self._world.adopt(self._state.running[app.id], app, self._partition)

    def _preempt(self, app: Application, result: Result, nomination: HierarchyNomination) -> None:
        by_app: dict[Application, list[Allocation]] = {}
        for victim in result.victims:
            by_app.setdefault(victim.app, []).append(victim)
        queue = self._state.queues[self._partition.full_name(app.queue)]
        pending = self._partition.pending.get(app)
        is_pending = pending is not None and not result.started
        if pending is None or result.started:
            running = self._state.running[app.id]
            route = Route(queue=running.queue, priority=running.priority)
            pending = Pending(running.workload, route, stopped_for=running.stopped_for)
        targets = []
        for victim_app, some in by_app.items():
            running = self._state.running[victim_app.id]
            reason = result.victims[some[0]]
            target = Target(running, self._state.queues[running.queue or ""], reason)
            if self._stops_entirely(victim_app):
                targets.append(target)
            else:
                taken = self._placed(some)
                self._state.take_pods(target, taken, queue, pending, nomination)
        if targets and is_pending:
            self._state.preempt(queue, pending, nomination, tuple(targets), (), None)
        elif targets:
            self._state.evict_for(queue, pending, nomination, tuple(targets))

    def _stops_entirely(self, app: Application) -> bool:
        return all(each.is_released for each in app.allocations.values())

    def _announce_losses(self) -> bool:
        """Announce pods that have lost their nodes, and those whose nodes are back."""
        announced = False
        for uid, known in self._world.known.items():
            running = self._state.running.get(uid)
            # It may be evicted since the cycle began.
            if running is not known.running or running.evicting:
                continue
            has_changed = known.has_lost is not (running.reason is PODS_LOST)
            if known.partition is not self._partition or not has_changed:
                continue
            reason = PODS_LOST if known.has_lost else STARTED
            self._state.resize(running, None, Resize(), reason)
            announced = True
        return announced

    # Places

    def _placed(self, allocations: Iterable[Allocation]) -> tuple[PlacedPods, ...]:
        counts: dict[tuple[str, str], int] = {}
        for each in allocations:
            key = each.ask.key, each.node.name
            counts[key] = counts.get(key, 0) + 1
        return tuple(
            PlacedPods(pod_set=pod_set, place=self._place(node, count))
            for (pod_set, node), count in counts.items()
        )

    def _place(self, node: str, count: int) -> Place:
        return replace(self._world.place_on(node), count=count)

    def assignment(self, pending: Pending, allocations: Iterable[Allocation]) -> Assignment:
        """Return the places of the pods of a workload that start."""
        places: dict[str, list[Place]] = {}
        for pods in self._placed(allocations):
            places.setdefault(pods.pod_set, []).append(pods.place)
        return tuple(
            PodSetAssignment(
                name=each.name,
                count=sum(place.count for place in places.get(each.name, ())),
                flavors={},
                places=tuple(places.get(each.name, ())),
            )
            for each in pending.workload.pod_sets
        )

    # Verdicts

    def _verdicts(self) -> list[tuple[AnyQueue, PendingClass, Pending, Verdict]]:
        """Return why the first member of each class waits."""
        found = []
        for line in self._partition.class_lines:
            app = line.head
            result = Result() if app is None else self._results.get(app, Result())
            if app is None or result.started:
                continue
            pending = self._partition.pending[app]
            nomination = self.nomination(
                app,
                result,
                line.cls,
                with_nodes=bool(line.cls.unannounced) or line.cls.verdict is None,
            )
            verdict = Verdict(nomination.pending_reason, nomination.usage, nomination)
            queue = self._state.queues[self._partition.full_name(line.queue)]
            found.append((queue, line.cls, pending, verdict))
        return found

    def nomination(
        self,
        app: Application,
        result: Result,
        cls: PendingClass | None = None,
        *,
        with_nodes: bool = False,
    ) -> HierarchyNomination:
        """Return what the turns of an application found, which is one of *cls*, if given."""
        refused = self._scheduler.refusals.get(app)
        with_nodes = with_nodes and (refused is None or refused.stage not in _REASONS)
        ask = self._asked(app, result, refused)
        request = ask.resources if ask is not None else NOTHING
        total = _total(result.started) if result.started else request
        exceeded = self._exceeded(app, result, cls)
        return HierarchyNomination(
            fits=bool(result.started),
            pending_reason=self._reason(app, result, refused, exceeded),
            request=request,
            counts=self._counts(app, result, ask),
            user=app.user,
            group=app.group or "",
            refusal=None if refused is None else refusing_check(self._partition, refused),
            placed=len(result.started),
            shortages=self._shortages(ask) if with_nodes and ask is not None else (),
            messages=tuple(ask.messages) if ask is not None else (),
            preemption=self._verdict_of_preemption(ask) if ask is not None else None,
            usage=usage_of_amounts(total),
            exceeded=exceeded,
        )

    def _exceeded(
        self, app: Application, result: Result, cls: PendingClass | None
    ) -> tuple[Exceeded, ...]:
        """Return why an application can never start; empty: it can, or it runs already."""
        pending = self._partition.pending.get(app)
        if pending is None or result.started or result.victims or app in self._scheduler.waiting:
            return ()
        return self._world.exceeded(pending, app, self._partition, cls)

    def _counts(self, app: Application, result: Result, ask: Ask | None) -> dict[str, int]:
        """Return the number of pods that start together, by pod set."""
        pending = self._partition.pending.get(app)
        if pending is None or not starts_together(pending, self._state.now):
            return {} if ask is None else {ask.key: 1}
        counts = {each.key: count for each, count in app.unit}
        if not counts:
            for started in result.started:
                counts[started.ask.key] = counts.get(started.ask.key, 0) + 1
        return counts

    def _asked(self, app: Application, result: Result, refused: Refused | None) -> Ask | None:
        if result.started:
            return result.started[0].ask
        if refused is not None and refused.ask is not None:
            return refused.ask
        return app.asks[0] if app.asks else None

    def _reason(
        self,
        app: Application,
        result: Result,
        refused: Refused | None,
        exceeded: tuple[Exceeded, ...],
    ) -> Reason:
        if result.victims or app in self._scheduler.waiting:
            return WAITS_FOR_STOPPING
        if exceeded:
            return _NEVER[exceeded[0].kind]
        if refused is not None and refused.stage in _REASONS:
            return _REASONS[refused.stage]
        if not any(node.accepts for node in self._scheduler.nodes):
            return NO_NODES
        return GANG_HAS_NO_ROOM if app.unit else NO_NODE_HAS_ROOM

    def _shortages(self, ask: Ask) -> tuple[NodeShortage, ...]:
        """Return why no node has room for one pod, by the number of nodes."""
        counts: dict[str, int] = {}
        for node in self._scheduler.nodes:
            for cause in _causes(node, ask):
                counts[cause] = counts.get(cause, 0) + 1
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return tuple(NodeShortage(cause=cause, nodes=count) for cause, count in ordered)

    def _verdict_of_preemption(self, ask: Ask) -> PreemptionVerdict | None:
        tried = [each for each in ask.messages if each in _OF_PREEMPTION]
        if not tried:
            return None
        has_searched = not {Message.PRECONDITIONS, Message.REQUIRED_NODE}.intersection(tried)
        if not has_searched:
            return PreemptionVerdict(text=str(tried[0]))
        candidates = victim_candidates(
            ask, self._scheduler.applications, self._scheduler.compatibility
        )
        return PreemptionVerdict(
            text=str(tried[0]),
            fence=self._partition.full_name(fence_of(ask)),
            candidates=sum(1 for _ in candidates),
        )


_OF_PREEMPTION: Final = (
    Message.NO_GUARANTEE,
    Message.SHORTFALL,
    Message.ATTEMPTS_EXHAUSTED,
    Message.PRECONDITIONS,
    Message.REQUIRED_NODE,
    Message.NO_PREEMPTION,
)


def _causes(node: NodeUsage, ask: Ask) -> list[str]:
    if not node.accepts:
        return ["not_ready"]
    if ask.allowed is not None and node.name not in ask.allowed:
        return ["constraints"]
    short = [name for name, value in ask.resources.items() if value > node.available.get(name, 0)]
    if not short and node.reserved is not None and node.reserved is not ask:
        return ["reserved"]
    return short


def _total(allocations: Iterable[Allocation]) -> Resources:
    total: Resources = NOTHING
    for each in allocations:
        total = plus(total, each.resources)
    return total
