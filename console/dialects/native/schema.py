"""The native document as written: every field with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from console.dialects.findings import Place
from console.dialects.written import Read, Written
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.model.selectors import Operator
from console.engine.routing.rules import OnViolation


class Resource(StrEnum):
    """The resources that can have quota."""

    GPU = "gpu"
    CPU = "cpu"
    MEMORY_GB = "memory_gb"
    TPU = "tpu"


class NeverOrLower(StrEnum):
    """The preemption words of fields that do not accept ``any``."""

    NEVER = PreemptionRule.NEVER.value
    LOWER_PRIORITY = PreemptionRule.LOWER_PRIORITY.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionDoc:
    """One match expression."""

    place: Place
    key: Read[str]
    operator: Read[Operator]
    values: Read[tuple[Read[str], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorDoc:
    """One entry of ``resource_flavors``."""

    place: Place
    name: Read[str]
    selector: Read[tuple[ExpressionDoc, ...]]
    advanced_instance_config: Read[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDoc:
    """The quota of one resource in one flavor."""

    place: Place
    name: Read[str]
    nominal_quota: Read[int]
    borrowing_limit: Read[int]
    lending_limit: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaDoc:
    """One flavor inside a resource group."""

    place: Place
    name: Read[str]
    resources: tuple[ResourceDoc, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDoc:
    """One resource group of a queue."""

    place: Place
    covered_resources: Read[tuple[Read[str], ...]]
    flavors: tuple[QuotaDoc, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionDoc:
    """The preemption settings of a queue."""

    place: Place
    within_resource_queue: Read[NeverOrLower]
    reclaim_within_cohort: Read[PreemptionRule]
    borrow_within_cohort: Read[NeverOrLower]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDoc:
    """One entry of ``resource_queues``."""

    place: Place
    name: Read[str]
    cohort_name: Read[str]
    preemption: PreemptionDoc | None
    resource_groups: Read[tuple[GroupDoc, ...]]

    @property
    def groups(self) -> tuple[GroupDoc, ...]:
        """The valid resource groups."""
        return self.resource_groups.value if isinstance(self.resource_groups, Written) else ()

    def quotas(self) -> Iterator[QuotaDoc]:
        """Yield the flavors of all groups in order."""
        for group in self.groups:
            yield from group.flavors


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityDoc:
    """The priority policy of a rule."""

    place: Place
    default: Read[int]
    minimum: Read[int]
    maximum: Read[int]
    on_violation: Read[OnViolation]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDoc:
    """One entry of ``scheduling_rules``."""

    place: Place
    selector: Read[tuple[ExpressionDoc, ...]]
    resource_queue: Read[str]
    priority_policy: PriorityDoc | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    A native config as written.

    An entry that is not a mapping is omitted.
    """

    flavors: tuple[FlavorDoc, ...] = ()
    queues: tuple[QueueDoc, ...] = ()
    rules: tuple[RuleDoc, ...] = ()
    #: Whether every entry and its name is valid.
    all_flavors_known: bool = True
    all_queues_known: bool = True
