"""The policy: what any dialect compiles to and the only thing the engine reads of a config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from console.engine.amounts import UNLIMITED, Amount
from console.engine.origin import Origin
from console.engine.selectors import EVERYTHING, Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """A kind of capacity, and which workloads may use it."""

    name: str
    #: Judged on the workload's labels.
    selector: Selector = EVERYTHING
    #: Opaque; handed back with every admission that uses the flavor.
    launch_config: Mapping[str, Any] | None = None
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
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """When a queue may stop running workloads to make room for its own."""

    within_queue: PreemptionRule = PreemptionRule.NEVER
    reclaim_within_cohort: PreemptionRule = PreemptionRule.NEVER
    borrow_within_cohort: PreemptionRule = PreemptionRule.NEVER
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A leaf of the quota tree: holds pending workloads and owns nominal quota."""

    name: str
    #: Name of the cohort above, or None for a queue of its own.
    parent: str | None = None
    #: Empty: passthrough, everything routed here is admitted without quota.
    groups: tuple[ResourceGroup, ...] = ()
    preemption: Preemption = Preemption()
    origin: Origin | None = None

    @property
    def is_passthrough(self) -> bool:
        """Whether the queue admits everything without quota."""
        return not self.groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """An inner node of the quota tree: its queues and cohorts share unused quota."""

    name: str
    parent: str | None = None
    groups: tuple[ResourceGroup, ...] = ()
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
class Policy:
    """
    One compiled config.

    Mappings are keyed by name and keep the order of the text. References are
    valid: every queue a rule names, every flavor a group names and every
    parent exists; a dialect does not compile anything else.
    """

    dialect: str
    #: Name of the folder under ``engine/disciplines`` that admits.
    discipline: str = "quota"
    flavors: Mapping[str, Flavor] = field(default_factory=dict)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    cohorts: Mapping[str, Cohort] = field(default_factory=dict)
    #: Without any rule everything is admitted, without queue and quota.
    rules: tuple[Rule, ...] = ()
