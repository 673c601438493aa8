"""Applications, the pods that they ask for, and the nodes with the pods that run there."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import isnan
from typing import TypeAlias

from console.engine.disciplines.hierarchy.queue_usage import NO_PRIORITY, QueueUsage
from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    fits_strictly,
    minus,
    plus,
    times,
)
from console.engine.model.inventory import Node


class AppState(StrEnum):
    """The state of an application."""

    #: It has not asked for anything.
    NEW = "New"
    #: It asks for pods and has none.
    ACCEPTED = "Accepted"
    RUNNING = "Running"
    #: Its placeholders are released, after which it is scheduled without them.
    RESUMING = "Resuming"
    #: It has neither pods nor asks.
    COMPLETING = "Completing"
    COMPLETED = "Completed"
    FAILING = "Failing"
    FAILED = "Failed"
    REJECTED = "Rejected"


class Message(StrEnum):
    """Why an ask has no node, in the words of YuniKorn."""

    USER_QUOTA = "Not enough user quota"
    QUEUE_QUOTA = "Not enough queue quota"
    NO_PREEMPTION = "Preemption does not help"
    ATTEMPTS_EXHAUSTED = "Preemption max attempts exhausted"
    PRECONDITIONS = "Preemption preconditions failed"
    NO_GUARANTEE = "Preemption queue guarantees check failed"
    SHORTFALL = "Preemption helped but short of resources"
    REQUIRED_NODE = "No fit on required node, preemption does not help"


@dataclass(slots=True, eq=False, kw_only=True)
class Ask:
    """Pods that an application asks for, all alike; those that have a node are `Allocation`."""

    key: str
    app: Application
    resources: Resources
    priority: int = 0
    #: Its order among others: later ones are newer.
    created: int = 0
    #: When it was submitted, in milliseconds.
    submitted: int = 0
    #: How many have no node.
    pending: int = 1
    #: Whether its pods are numbered, because there may be more than one.
    is_repeated: bool = False
    #: Whether other pods may stop for it, and whether it may stop for others.
    may_preempt: bool = True
    may_be_preempted: bool = True
    #: Whether it is the first pod of the application, which others depend on.
    is_originator: bool = False
    required_node: str | None = None
    #: The nodes that its constraints allow; None: all.
    allowed: frozenset[str] | None = None
    is_placeholder: bool = False
    task_group: str = ""
    #: When preemption was tried for it last, in milliseconds; None: never.
    preemption_tried: int | None = None
    #: Whether pods stop or have stopped for it.
    has_preempted: bool = False
    #: For how many of its pods the room of a reserved node is kept.
    kept: int = 1
    #: Why it has no node: each message once, in the order of the first time.
    messages: dict[str, None] = field(default_factory=dict)

    @property
    def place(self) -> tuple[int, int, str]:
        """Its place among the asks of the application."""
        return -self.priority, self.created, self.key

    def note(self, message: str) -> None:
        """Record why it has no node."""
        self.messages[message] = None


@dataclass(slots=True, eq=False, kw_only=True)
class Allocation:
    """A pod that has a node."""

    key: str
    ask: Ask
    node: NodeUsage
    #: Whether it has to stop: because it is preempted, or makes way for another pod.
    is_released: bool = False
    is_preempted: bool = False

    @property
    def app(self) -> Application:
        """The application of the pod."""
        return self.ask.app

    @property
    def resources(self) -> Resources:
        """What the pod uses."""
        return self.ask.resources

    @property
    def place(self) -> tuple[object, ...]:
        """Its place among pods that are equal otherwise; the same in a state that is rebuilt."""
        return self.ask.key, self.app.created, self.node.name, self.key


@dataclass(slots=True, eq=False, kw_only=True)
class Gang:
    """The placeholders of an application, which start before its pods do."""

    #: What all of them use together.
    total: Resources
    is_hard: bool = False
    #: Milliseconds from the first placeholder until the others are given up.
    timeout: int = 15 * 60_000
    #: When the first placeholder got a node.
    started: int | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Application:
    """An application in a leaf queue."""

    id: str
    queue: QueueUsage
    user: str
    groups: tuple[str, ...] = ()
    #: When it was submitted, in milliseconds; an earlier ask counts instead.
    created: int = 0
    state: AppState = AppState.NEW
    tags: Mapping[str, str] = field(default_factory=dict)
    gang: Gang | None = None
    #: Asks with pending pods, in their order.
    asks: list[Ask] = field(default_factory=list)
    allocations: dict[str, Allocation] = field(default_factory=dict)
    allocated: Resources = field(default_factory=dict)
    #: What the placeholders that have a node use.
    allocated_placeholders: Resources = field(default_factory=dict)
    pending: Resources = field(default_factory=dict)
    #: The pods that start together, by ask, before any other does; empty: pods start one by one.
    unit: tuple[tuple[Ask, int], ...] = ()
    #: The number of the next pod of repeated asks.
    next_pod: int = 0
    #: The group whose limits count for it; empty: none; None: not chosen yet.
    group: str | None = None
    #: No ask is tried before, in milliseconds.
    backoff_until: int = 0
    #: When it became idle, in milliseconds.
    idle_since: int | None = None

    @property
    def priority(self) -> int:
        """The highest priority of a pending ask."""
        return self.asks[0].priority if self.asks else NO_PRIORITY

    def add(self, ask: Ask) -> None:
        """Add an ask with pending pods."""
        insort(self.asks, ask, key=lambda each: each.place)
        self.created = min(self.created, ask.created)
        amount = times(ask.resources, ask.pending)
        self.pending = plus(self.pending, amount)
        self.queue.change_pending(amount, ask.pending, ask.priority)

    def withdraw(self, ask: Ask, count: int) -> None:
        """Remove *count* pending pods of an ask."""
        ask.pending -= count
        if not ask.pending:
            self.asks.remove(ask)
        amount = times(ask.resources, count)
        self.pending = minus(self.pending, amount)
        self.queue.change_pending(times(amount, -1), -count, ask.priority)

    def restore(self, ask: Ask) -> None:
        """Ask again for one pod that was withdrawn."""
        if not ask.pending:
            insort(self.asks, ask, key=lambda each: each.place)
        ask.pending += 1
        self.pending = plus(self.pending, ask.resources)
        self.queue.change_pending(ask.resources, 1, ask.priority)

    def is_replaceable(self, ask: Ask) -> bool:
        """Return whether a placeholder may make way for an ask."""
        return (
            not ask.is_placeholder
            and bool(ask.task_group)
            and any(
                each.ask.is_placeholder
                and not each.is_released
                and each.ask.task_group == ask.task_group
                for each in self.allocations.values()
            )
        )


#: All applications, by leaf and id.
Applications: TypeAlias = MutableMapping[QueueUsage, dict[str, Application]]


def application_order(app: Application) -> tuple[object, ...]:
    """Return the place of an application among those of its queue; smaller ones come first."""
    settings = app.queue.queue.settings
    if settings.sort == "fair":
        first: tuple[object, ...] = _usage_ratios(app)
    else:
        first = (app.created,)
    if settings.sorts_by_priority:
        return (-app.priority, first, app.created, app.id)
    return (first, -app.priority, app.created, app.id)


def _usage_ratios(app: Application) -> tuple[float, ...]:
    """Return usage by resource, as parts of the guarantee where there is one, the largest first."""
    guaranteed = app.queue.guaranteed
    ratios = sorted(
        (
            value / guaranteed[name] if guaranteed.get(name, 0) > 0 else float(value)
            for name, value in app.allocated.items()
        ),
        reverse=True,
    )
    while ratios and not ratios[-1]:
        ratios.pop()
    return tuple(ratios)


class NodeUsage:
    """A node with its pods."""

    __slots__ = (
        "accepts",
        "allocated",
        "allocations",
        "available",
        "capacity",
        "name",
        "node",
        "releasing",
        "reserved",
    )

    def __init__(
        self,
        name: str,
        capacity: Resources,
        *,
        accepts: bool = True,
        node: Node | None = None,
    ) -> None:
        self.name = name
        #: As it is reported, with labels and taints.
        self.node = node
        self.capacity = dict(capacity)
        self.allocated: Resources = NOTHING
        self.available: dict[str, int] = dict(capacity)
        #: What pods use that have to stop.
        self.releasing: Resources = NOTHING
        #: Whether pods may start there.
        self.accepts = accepts
        self.allocations: dict[tuple[str, str], Allocation] = {}
        #: The ask for which its room is kept.
        self.reserved: Ask | None = None

    def has_room(self, amount: Resources) -> bool:
        """Return whether *amount* is free."""
        return self.accepts and fits_strictly(self.available, amount)

    def usage(self, weights: Mapping[str, float]) -> float:
        """Return the part of the node that is used, as the mean of its resources by *weights*."""
        total = used = 0.0
        for name, capacity in self.capacity.items():
            weight = weights.get(name, 0.0)
            if not weight:
                continue
            share = self.allocated.get(name, 0) / capacity if capacity else 0.0
            if not isnan(share):
                used += share * weight
                total += weight
        return used / total if total else 0.0
