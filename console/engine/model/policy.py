"""
Policy: the compiled form of a config in any dialect, and the engine's only input from it.

A policy has the routing and the settings that all disciplines share, and the spec of its
discipline.
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
    """The order in which the workloads of a queue get turns."""

    #: Later workloads may overtake one that does not fit.
    BEST_EFFORT_FIFO = "best_effort_fifo"
    #: A workload that does not fit blocks those behind it.
    STRICT_FIFO = "strict_fifo"


class StopPolicy(StrEnum):
    """Whether the config stops a queue, and its running workloads."""

    NONE = "none"
    #: No workload is admitted; running workloads continue.
    HOLD = "hold"
    #: No workload is admitted, and running workloads are evicted.
    HOLD_AND_DRAIN = "hold_and_drain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The settings of a queue that all disciplines share; each discipline extends this class."""

    name: str
    #: Name of the parent; None: the queue is the root of its tree.
    parent: str | None = None
    #: Every workload that is routed to the queue is admitted without limit.
    is_passthrough: bool = False
    strategy: Strategy = Strategy.BEST_EFFORT_FIFO
    stop: StopPolicy = StopPolicy.NONE
    #: Evaluated on the labels of a workload's namespace when a local queue routes to the queue;
    #: None: no namespace is allowed.
    namespaces: Selector | None = None
    unsupported: tuple[UnsupportedSetting, ...] = ()
    origin: Origin | None = None


class Spec(Protocol):
    """
    The settings of one discipline: its queues, and everything else that only it reads.

    Assignments refer to capacity by name: for quota, to flavors. A parent is a node that
    contains queues or other parents. Mappings keep the order of the text.
    """

    #: Name of the discipline, which is a folder under ``engine/disciplines``.
    discipline: ClassVar[str]

    @property
    def queues(self) -> Mapping[str, Queue]:
        """The queues by name."""

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """The names of all nodes that contain queues, with their origins."""

    @property
    def capacity_names(self) -> Collection[str]:
        """The names of all capacity that an assignment may refer to."""

    @property
    def object_count(self) -> int:
        """The number of objects of the spec: a measure of its size in memory."""

    @property
    def creates_queues(self) -> bool:
        """Whether there may be queues that the text does not have, see `created_queue`."""

    def created_queue(self, name: str) -> Queue | None:
        """
        Return a queue that the text does not have and that exists as long as it has workloads.

        None: there can be no queue of this name.
        """

    def path(self, queue: str) -> tuple[str, ...]:
        """Return the names of the nodes above a queue of this spec, the nearest first."""

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return the names of the objects on which a queue of this spec depends, by kind."""

    def missing_reference(self, queue: str) -> str | None:
        """Return a name that the queue refers to and the spec lacks; it then admits nothing."""

    def resources(self) -> tuple[str, ...]:
        """Return the names of all resources that are limited."""

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return the sum of the guarantees of all nodes, in thousandths."""

    def selectors(self) -> Mapping[str, Selector]:
        """Return the selectors of capacity by name; they select workloads by their labels."""

    def selectors_of(self, queue: str) -> Mapping[str, Selector]:
        """Return the selectors that apply to workloads of a queue of this spec, sorted by name."""

    def with_selectors(self, change: Callable[[Selector], Selector]) -> Spec:
        """Return the spec with *change* applied to every selector of `selectors`."""

    def unsupported_of(self, name: str) -> tuple[UnsupportedSetting, ...]:
        """Return the settings of the capacity *name* that have no effect."""

    def launch_config_of(self, name: str) -> Mapping[str, Any] | None:
        """Return the launch config for every admission that uses the capacity *name*."""

    def pod_additions(self, assigned: Mapping[str, str]) -> PodAdditions:
        """Return the additions of the capacity *assigned*, by resource, to pods of a pod set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    One compiled config.

    Mappings are keyed by name and keep the order of the text. Every queue that rules
    refer to exists.
    """

    dialect: str
    spec: Spec
    routing: Routing = field(default_factory=NoRouting)
    #: The lowest priority that a workload may request.
    least_priority: int = 0
    #: Settings of the whole policy that have no effect; queues and flavors have their own.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    #: The label with which a workload requests its maximum run time, in whole seconds; None: there
    #: is no such label.
    run_time_label: str | None = None
    #: Label of a workload -> the unsupported setting that it requests.
    unsupported_labels: Mapping[str, Unsupported] = field(default_factory=dict)

    @property
    def discipline(self) -> str:
        """The name of the discipline."""
        return self.spec.discipline

    @property
    def queues(self) -> Mapping[str, Queue]:
        """The queues by name, in the order of the text."""
        return self.spec.queues

    def queue(self, name: str | None) -> Queue | None:
        """Return a queue by name, also one that the spec creates for workloads; None: no queue."""
        if name is None:
            return None
        return self.spec.queues.get(name) or self.spec.created_queue(name)
