"""
The policy: what any dialect compiles to and the only thing the engine reads of a config.

It is an envelope: routing and what every discipline shares, around the spec of the discipline
that admits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.launch_settings import PodAdditions
from console.engine.model.origin import Origin
from console.engine.model.routing import NoRouting, Routing
from console.engine.model.selectors import Selector
from console.engine.model.unsupported_settings import Unsupported, UnsupportedSetting


class Strategy(StrEnum):
    """In which order a queue gives its workloads a turn."""

    #: What does not fit is overtaken.
    BEST_EFFORT_FIFO = "best_effort_fifo"
    #: What does not fit blocks those behind it.
    STRICT_FIFO = "strict_fifo"


class StopPolicy(StrEnum):
    """Whether a queue is stopped by its config."""

    NONE = "none"
    #: Nothing new is admitted; what runs goes on.
    HOLD = "hold"
    #: Nothing new is admitted, and what runs is told to stop.
    HOLD_AND_DRAIN = "hold_and_drain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue as every discipline knows it; each has a class of its own that adds to this."""

    name: str
    #: Name of the node above, or None for a queue of its own.
    parent: str | None = None
    #: Everything routed here is admitted without limit.
    is_passthrough: bool = False
    strategy: Strategy = Strategy.BEST_EFFORT_FIFO
    stop: StopPolicy = StopPolicy.NONE
    #: Judged on the labels of a workload's namespace when a local queue leads here; None: no
    #: namespace is allowed.
    namespaces: Selector | None = None
    unsupported: tuple[UnsupportedSetting, ...] = ()
    origin: Origin | None = None


class Spec(Protocol):
    """
    What one discipline admits by: its queues, and everything else that only it reads.

    Capacity has names that assignments refer to: the flavors of quota. A parent is a node that
    contains queues or other parents. Mappings keep the order of the text.
    """

    #: Name of the folder under ``engine/disciplines`` that admits.
    discipline: ClassVar[str]

    @property
    def queues(self) -> Mapping[str, Queue]:
        """The queues by name."""

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """The names of all nodes that contain queues, with their origins."""

    @property
    def capacity_names(self) -> Collection[str]:
        """The names of everything that an assignment may refer to."""

    @property
    def object_count(self) -> int:
        """How many objects the spec consists of: a measure of its size in memory."""

    def path(self, queue: str) -> tuple[str, ...]:
        """Return the names of the nodes above a queue of this spec, the nearest first."""

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return by kind of object the names of those on which a queue of this spec depends."""

    def missing_reference(self, queue: str) -> str | None:
        """Return what a queue of this spec refers to and the spec lacks; it then admits nothing."""

    def resources(self) -> tuple[str, ...]:
        """Return the names of all resources that are limited."""

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return what all nodes are guaranteed together, in thousandths."""

    def selectors(self) -> Mapping[str, Selector]:
        """Return by name the selectors of capacity, judged on the labels of workloads."""

    def selectors_of(self, queue: str) -> Mapping[str, Selector]:
        """Return those that decide about workloads of a queue of this spec, sorted by name."""

    def with_selectors(self, change: Callable[[Selector], Selector]) -> Spec:
        """Return the spec with *change* applied to every selector of `selectors`."""

    def unsupported_of(self, name: str) -> tuple[UnsupportedSetting, ...]:
        """Return the settings of the capacity *name* that are not acted on."""

    def launch_config_of(self, name: str) -> Mapping[str, Any] | None:
        """Return what is handed back with every admission that uses the capacity *name*."""

    def pod_additions(self, assigned: Mapping[str, str]) -> PodAdditions:
        """Return what the capacity in *assigned*, by resource, adds to each pod of a pod set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    One compiled config.

    Mappings are keyed by name and keep the order of the text. Every queue that routing
    names exists.
    """

    dialect: str
    spec: Spec
    routing: Routing = field(default_factory=NoRouting)
    #: The lowest priority that a workload may request.
    least_priority: int = 0
    #: Settings of the whole policy that are not acted on; queues and flavors have their own.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    #: Label of a workload -> what it asks for and is not acted on.
    unsupported_labels: Mapping[str, Unsupported] = field(default_factory=dict)

    @property
    def discipline(self) -> str:
        """The name of the discipline that admits."""
        return self.spec.discipline

    @property
    def queues(self) -> Mapping[str, Queue]:
        """The queues by name, in the order of the text."""
        return self.spec.queues
