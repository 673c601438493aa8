"""The spec of the quota discipline: queues with nominal quota, cohorts, flavors and settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

from console.engine.model.amounts import UNLIMITED, WEIGHT_ONE, Amount, FlavorResource
from console.engine.model.launch_settings import PodAdditions
from console.engine.model.nodes import FlavorToleration, Taint
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Queue
from console.engine.model.selectors import EVERYTHING, Selector
from console.engine.model.unsupported_settings import UnsupportedSetting


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A kind of capacity, with a selector of the workloads that may use it."""

    name: str
    #: Evaluated on the workload's labels.
    selector: Selector = EVERYTHING
    #: Labels of its nodes, on which node selectors and affinity of pod sets are evaluated.
    node_labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    #: Tolerated on behalf of every pod that uses the flavor.
    tolerations: tuple[FlavorToleration, ...] = ()
    #: Opaque; returned with every admission that uses the flavor.
    launch_config: Mapping[str, Any] | None = None
    unsupported: tuple[UnsupportedSetting, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The quota of a node for one flavor-resource: nominal, borrowing and lending limit."""

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
    """Resources that take the same flavor, and the flavors in the order they are tried."""

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
    """When a queue may preempt running workloads for its pending ones."""

    within_queue: PreemptionRule = PreemptionRule.NEVER
    reclaim_within_cohort: PreemptionRule = PreemptionRule.NEVER
    borrow_within_cohort: PreemptionRule = PreemptionRule.NEVER
    #: Highest priority that a borrowing workload may preempt; None: no bound.
    max_priority_threshold: int | None = None
    origin: Origin | None = None


class FungibilityPolicy(StrEnum):
    """Whether a flavor that is usable by borrowing or preemption ends the walk over the flavors."""

    MAY_STOP = "may_stop_search"
    TRY_NEXT = "try_next_flavor"


class Preference(StrEnum):
    """Which flavor is preferred if several are usable: by borrowing or by preemption."""

    BORROWING_OVER_PREEMPTION = "borrowing_over_preemption"
    PREEMPTION_OVER_BORROWING = "preemption_over_borrowing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fungibility:
    """When a queue tries its next flavor."""

    when_can_borrow: FungibilityPolicy = FungibilityPolicy.MAY_STOP
    when_can_preempt: FungibilityPolicy = FungibilityPolicy.TRY_NEXT
    preference: Preference = Preference.BORROWING_OVER_PREEMPTION
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
    #: None if queues name the cohort and the config has no object for it.
    origin: Origin | None = None


class FairStrategy(StrEnum):
    """A condition on shares under which a workload may preempt for its fair share."""

    FINAL_SHARE = "less_than_or_equal_to_final_share"
    INITIAL_SHARE = "less_than_initial_share"


class Undeclared(StrEnum):
    """The effect of a requested resource that no group of the queue covers."""

    #: It is not limited.
    IGNORE = "ignore"
    #: The workload cannot be admitted.
    BLOCK = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSettings:
    """Settings of the quota discipline for all queues of a policy."""

    #: Strategies in the order they are tried; empty: classical preemption, no fair sharing.
    fair_sharing: tuple[FairStrategy, ...] = ()
    undeclared: Undeclared = Undeclared.IGNORE
    #: Whether a request of zero for a covered resource takes a flavor.
    zeros_take_flavors: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSpec(Queue):
    """A queue of a config: a leaf of the quota tree, with quotas and preemption rules."""

    #: Empty for a passthrough queue.
    groups: tuple[ResourceGroup, ...] = ()
    preemption: Preemption = Preemption()
    fungibility: Fungibility = Fungibility()
    #: Share weight in billionths; 0: its share is larger than any other when it borrows.
    fair_weight: int = WEIGHT_ONE
    #: Resource -> index of the group that covers it.
    covers: Mapping[str, int] = field(init=False, repr=False, compare=False)
    #: Resource -> the flavor-resources of that group, in the order they are tried.
    flavor_resources: Mapping[str, tuple[FlavorResource, ...]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        covers: dict[str, int] = {}
        flavor_resources: dict[str, tuple[FlavorResource, ...]] = {}
        for index, group in enumerate(self.groups):
            for resource in group.resources:
                if resource not in covers:
                    covers[resource] = index
                    flavor_resources[resource] = tuple(
                        (entry.flavor, resource) for entry in group.flavors
                    )
        object.__setattr__(self, "covers", covers)
        object.__setattr__(self, "flavor_resources", flavor_resources)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSpec:
    """
    The part of a policy that the quota discipline reads: flavors, queues, cohorts and settings.

    Every parent exists. A flavor that a group names may be missing: its queue then admits
    nothing.
    """

    discipline: ClassVar[str] = "quota"

    flavors: Mapping[str, Flavor] = field(default_factory=dict)
    queues: Mapping[str, QueueSpec] = field(default_factory=dict)
    #: Includes every cohort that a queue or cohort names, even without an object in the config.
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    settings: QuotaSettings = QuotaSettings()

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """The cohorts with their origins."""
        return {cohort.name: cohort.origin for cohort in self.cohorts.values()}

    @property
    def capacity_names(self) -> Collection[str]:
        """The names of the flavors."""
        return self.flavors.keys()

    @property
    def object_count(self) -> int:
        """The number of flavors, cohorts and queues."""
        return len(self.flavors) + len(self.cohorts) + len(self.queues)

    @property
    def creates_queues(self) -> bool:
        """False: all queues are in the text."""
        return False

    def created_queue(self, name: str) -> Queue | None:
        """Return None: all queues are in the text."""
        return None

    def path(self, queue: str) -> tuple[str, ...]:
        """Return the cohorts above a queue, the nearest first."""
        path, above = [], self.queues[queue].parent
        while above is not None:
            path.append(above)
            above = self.cohorts[above].parent
        return tuple(path)

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return the queue itself, its flavors, and the cohorts above it."""
        flavors = {entry.flavor for group in self.queues[queue].groups for entry in group.flavors}
        return {"queue": {queue}, "flavor": flavors, "cohort": self.path(queue)}

    def missing_reference(self, queue: str) -> str | None:
        """Return the first flavor that a group of the queue names and the config lacks."""
        for group in self.queues[queue].groups:
            for entry in group.flavors:
                if entry.flavor not in self.flavors:
                    return entry.flavor
        return None

    def resources(self) -> tuple[str, ...]:
        """Return the resources that a group of a queue covers."""
        groups = (group for queue in self.queues.values() for group in queue.groups)
        return tuple(dict.fromkeys(resource for group in groups for resource in group.resources))

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return the nominal quota of all queues and cohorts together."""
        owned: dict[FlavorResource, Amount] = {}
        owners: tuple[QueueSpec | Cohort, ...] = (*self.queues.values(), *self.cohorts.values())
        groups = (group for owner in owners for group in owner.groups)
        for entry in (entry for group in groups for entry in group.flavors):
            for resource, quota in entry.quotas.items():
                key = entry.flavor, resource
                owned[key] = owned.get(key, 0) + quota.nominal
        return owned

    def selectors(self) -> Mapping[str, Selector]:
        """Return the selectors of the flavors."""
        return {name: flavor.selector for name, flavor in self.flavors.items()}

    def selectors_of(self, queue: str) -> Mapping[str, Selector]:
        """Return the selectors of the flavors that the groups of a queue name."""
        named = sorted(
            {entry.flavor for group in self.queues[queue].groups for entry in group.flavors}
        )
        return {name: self.flavors[name].selector for name in named if name in self.flavors}

    def with_selectors(self, change: Callable[[Selector], Selector]) -> QuotaSpec:
        """Return the spec with *change* applied to the selector of every flavor."""
        flavors = {
            name: replace(flavor, selector=change(flavor.selector))
            for name, flavor in self.flavors.items()
        }
        return replace(self, flavors=flavors)

    def unsupported_of(self, name: str) -> tuple[UnsupportedSetting, ...]:
        """Return the unsupported settings of the flavor *name*."""
        flavor = self.flavors.get(name)
        return flavor.unsupported if flavor is not None else ()

    def launch_config_of(self, name: str) -> Mapping[str, Any] | None:
        """Return the launch config of the flavor *name*."""
        flavor = self.flavors.get(name)
        return flavor.launch_config if flavor is not None else None

    def pod_additions(self, assigned: Mapping[str, str]) -> PodAdditions:
        """
        Return what the flavors in *assigned*, by resource, add to each pod of a pod set.

        Every flavor counts once. If two flavors disagree on a node label, the flavor of the
        resource whose name sorts first wins, so the result does not depend on the order of an
        assignment in rows; equal tolerations appear once. A flavor that the config does not
        define adds nothing. The rule is that of Kueue (pkg/podset), which leaves the order of
        flavors open.
        """
        named = dict.fromkeys(name for _, name in sorted(assigned.items()))
        used = [self.flavors[name] for name in named if name in self.flavors]
        selector: dict[str, str] = {}
        for flavor in used:
            for key, value in flavor.node_labels.items():
                selector.setdefault(key, value)
        tolerations = dict.fromkeys(each for flavor in used for each in flavor.tolerations)
        return PodAdditions(node_selector=selector, tolerations=tuple(tolerations))


def spec_of(policy: Policy) -> QuotaSpec:
    """Return the quota spec of a policy."""
    spec = policy.spec
    assert isinstance(spec, QuotaSpec)
    return spec


def with_spec(policy: Policy, **changes: Any) -> Policy:
    """Return *policy* with *changes* to the fields of its quota spec."""
    return replace(policy, spec=replace(spec_of(policy), **changes))


def quota_policy(
    dialect: str,
    *,
    flavors: Mapping[str, Flavor] | None = None,
    queues: Mapping[str, QueueSpec] | None = None,
    cohorts: Mapping[str, Cohort] | None = None,
    settings: QuotaSettings = QuotaSettings(),
    **envelope: Any,
) -> Policy:
    """Return a policy of the quota discipline; *envelope* has the other fields of `Policy`."""
    spec = QuotaSpec(
        flavors=flavors or {}, queues=queues or {}, cohorts=cohorts or {}, settings=settings
    )
    return Policy(dialect=dialect, spec=spec, **envelope)
