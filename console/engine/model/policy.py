"""The policy: what any dialect compiles to and the only thing the engine reads of a config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.nodes import FlavorToleration, Taint
from console.engine.model.origin import Origin
from console.engine.model.selectors import EVERYTHING, Selector


class Unsupported(StrEnum):
    """Something that a config or a workload may ask for and that nothing acts on."""

    #: Admission is to wait for checks by others.
    ADMISSION_CHECKS = "admission_checks"
    #: The order of waiting is to depend on what was used before.
    PAST_USAGE = "past_usage"
    #: A workload is to be tried in several flavors at once.
    CONCURRENT_FLAVORS = "concurrent_flavors"
    #: Pods are to become ready in time.
    PODS_READY = "pods_ready"
    #: Requests of some resources are to be counted as others.
    TRANSFORMATIONS = "transformations"
    #: Requests of some resources are not to be counted.
    EXCLUDED_RESOURCES = "excluded_resources"
    #: Pods are to be put near each other inside a flavor.
    TOPOLOGY = "topology"
    #: The same, asked for by a label of the workload; so are the next two.
    LABELED_TOPOLOGY = "labeled_topology"
    #: The workload is to be stopped after a time.
    LABELED_EXECUTION_TIME = "labeled_execution_time"
    #: The workload is to grow and shrink while it runs.
    LABELED_ELASTIC_SIZE = "labeled_elastic_size"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedSetting:
    """One setting that is not acted on."""

    kind: Unsupported
    #: The queue, flavor or label that asks for it; empty: the whole policy does.
    subject: str = ""
    #: Checks, resources, prefixes of resources, or a topology: what it names.
    names: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A kind of capacity, and which workloads may use it."""

    name: str
    #: Judged on the workload's labels.
    selector: Selector = EVERYTHING
    #: Labels of its nodes: what node selectors and affinity of pod sets are judged on.
    node_labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    #: Tolerated on behalf of every pod that uses the flavor.
    tolerations: tuple[FlavorToleration, ...] = ()
    #: Opaque; handed back with every admission that uses the flavor.
    launch_config: Mapping[str, Any] | None = None
    unsupported: tuple[UnsupportedSetting, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What a node owns of one flavor-resource, and what it may borrow and lend."""

    nominal: Amount = 0
    borrowing_limit: Amount = UNLIMITED
    lending_limit: Amount = UNLIMITED
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorQuotas:
    """The quotas of one flavor inside a resource group, by resource."""

    flavor: str
    quotas: Mapping[str, Quota]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceGroup:
    """Resources that take one flavor together, and the flavors in the order they are tried."""

    resources: tuple[str, ...]
    flavors: tuple[FlavorQuotas, ...]
    origin: Origin | None = None


class PreemptionRule(StrEnum):
    """Which workloads may be preempted."""

    NEVER = "never"
    LOWER_PRIORITY = "lower_priority"
    LOWER_OR_NEWER_EQUAL_PRIORITY = "lower_or_newer_equal_priority"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """When a queue may stop running workloads to make room for its own."""

    within_queue: PreemptionRule = PreemptionRule.NEVER
    reclaim_within_cohort: PreemptionRule = PreemptionRule.NEVER
    borrow_within_cohort: PreemptionRule = PreemptionRule.NEVER
    #: Highest priority that may be stopped by a workload that borrows; None: no bound.
    max_priority_threshold: int | None = None
    origin: Origin | None = None


class Strategy(StrEnum):
    """In which order a queue gives its workloads a turn."""

    #: What does not fit is overtaken.
    BEST_EFFORT_FIFO = "best_effort_fifo"
    #: What does not fit blocks those behind it.
    STRICT_FIFO = "strict_fifo"


class Search(StrEnum):
    """Whether a flavor that is good enough ends the walk over the flavors."""

    MAY_STOP = "may_stop_search"
    TRY_NEXT = "try_next_flavor"


class Preference(StrEnum):
    """What is worse about a flavor when the walk looked at several."""

    BORROWING_OVER_PREEMPTION = "borrowing_over_preemption"
    PREEMPTION_OVER_BORROWING = "preemption_over_borrowing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fungibility:
    """When a queue goes on to its next flavor."""

    when_can_borrow: Search = Search.MAY_STOP
    when_can_preempt: Search = Search.TRY_NEXT
    preference: Preference = Preference.BORROWING_OVER_PREEMPTION
    origin: Origin | None = None


class StopPolicy(StrEnum):
    """Whether a queue is stopped by its config."""

    NONE = "none"
    #: Nothing new is admitted; what runs goes on.
    HOLD = "hold"
    #: Nothing new is admitted, and what runs is told to stop.
    HOLD_AND_DRAIN = "hold_and_drain"


#: A fair share weight of 1, in billionths.
WEIGHT_ONE = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A leaf of the quota tree: holds pending workloads and owns nominal quota."""

    name: str
    #: Name of the cohort above, or None for a queue of its own.
    parent: str | None = None
    groups: tuple[ResourceGroup, ...] = ()
    #: Everything routed here is admitted without quota; it has no groups.
    is_passthrough: bool = False
    preemption: Preemption = Preemption()
    strategy: Strategy = Strategy.BEST_EFFORT_FIFO
    fungibility: Fungibility = Fungibility()
    stop: StopPolicy = StopPolicy.NONE
    #: Share weight in billionths; 0: its borrowing counts as above any other's.
    fair_weight: int = WEIGHT_ONE
    #: Judged on the labels of a workload's namespace when a local queue leads here; None: nobody.
    namespaces: Selector | None = None
    unsupported: tuple[UnsupportedSetting, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """An inner node of the quota tree: its queues and cohorts share unused quota."""

    name: str
    #: Name of the cohort above, or None for the root of a tree.
    parent: str | None = None
    groups: tuple[ResourceGroup, ...] = ()
    #: Share weight in billionths, against its siblings.
    fair_weight: int = WEIGHT_ONE
    #: None when queues name it and nothing describes it.
    origin: Origin | None = None


class OnViolation(StrEnum):
    """What happens to a requested priority outside the rule's range."""

    REJECT = "reject"
    FORCE_UPDATE = "force_update"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPolicy:
    """The priority a rule gives, and the range it accepts; None leaves that side open."""

    default: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    on_violation: OnViolation = OnViolation.REJECT
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One routing rule: workloads that match go to the queue, rules are tried in order."""

    index: int
    queue: str
    selector: Selector = EVERYTHING
    priority: PriorityPolicy = PriorityPolicy()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueue:
    """The door of one namespace to a queue."""

    namespace: str
    name: str
    #: Name of the queue it leads to, which need not exist.
    queue: str
    stop: StopPolicy = StopPolicy.NONE
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityClass:
    """A named priority that workloads ask for by label."""

    name: str
    value: int
    origin: Origin | None = None


class FairStrategy(StrEnum):
    """A test that lets a workload preempt for its fair share."""

    FINAL_SHARE = "less_than_or_equal_to_final_share"
    INITIAL_SHARE = "less_than_initial_share"


class Undeclared(StrEnum):
    """What a requested resource means that no group of the queue covers."""

    #: It is not limited.
    IGNORE = "ignore"
    #: The workload cannot be admitted.
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSettings:
    """How the quota discipline admits, for all queues of a policy."""

    #: Strategies in the order they are tried; empty: classical preemption, no fair sharing.
    fair_sharing: tuple[FairStrategy, ...] = ()
    undeclared: Undeclared = Undeclared.IGNORE
    #: Whether a request of nothing for a covered resource takes a flavor all the same.
    zeros_take_flavors: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueRouting:
    """
    Routing by namespace and label instead of by rules.

    A workload names a local queue of its namespace and, if it likes, a priority
    class, each by a label.
    """

    #: By namespace and name.
    local_queues: Mapping[tuple[str, str], LocalQueue] = field(default_factory=dict)
    #: Labels of namespaces by name; one that is missing has the label of its name alone.
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    priority_classes: Mapping[str, PriorityClass] = field(default_factory=dict)
    #: Name of the local queue that takes a workload which names none, in namespaces that have one
    #: of this name; None: such a workload waits.
    default_local_queue: str | None = None
    queue_label: str = "kueue.x-k8s.io/queue-name"
    priority_label: str = "kueue.x-k8s.io/priority-class"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    One compiled config.

    Mappings are keyed by name and keep the order of the text. Every queue a
    rule names and every parent exists. A flavor that a group names may be
    missing: its queue then admits nothing.
    """

    dialect: str
    #: Name of the folder under ``engine/disciplines`` that admits.
    discipline: str = "quota"
    flavors: Mapping[str, Flavor] = field(default_factory=dict)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    #: Every cohort that a queue or cohort names is here, described in the text or not.
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    #: Without any rule, and without local queues, everything is admitted without quota.
    rules: tuple[Rule, ...] = ()
    #: Instead of rules: workloads name their queue.
    local_routing: LocalQueueRouting | None = None
    settings: QuotaSettings = QuotaSettings()
    #: The lowest priority that a workload may request.
    least_priority: int = 0
    #: Settings of the whole policy that are not acted on; queues and flavors have their own.
    unsupported: tuple[UnsupportedSetting, ...] = ()
    #: Label of a workload -> what it asks for and is not acted on.
    unsupported_labels: Mapping[str, Unsupported] = field(default_factory=dict)
