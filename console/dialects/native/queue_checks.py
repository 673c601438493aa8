"""Checks of one queue: its resource groups, flavors, limits and preemption."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from console.dialects.codes import DUPLICATE_ITEM, DUPLICATE_NAME
from console.dialects.findings import Findings
from console.dialects.native.codes import (
    BORROW_NEEDS_RECLAIM,
    COHORT_WITHOUT_GROUPS,
    COVERED_TWICE,
    FLAVOR_TWICE,
    LENDS_TOO_MUCH,
    LIMIT_WITHOUT_COHORT,
    NOT_COVERED,
    PREEMPTION_WITHOUT_COHORT,
    UNKNOWN_FLAVOR,
    UNKNOWN_RESOURCE,
)
from console.dialects.native.references import DefinedNames
from console.dialects.native.schema import (
    GroupDoc,
    NeverOrLower,
    QueueDoc,
    QuotaDoc,
    Resource,
    ResourceDoc,
)
from console.dialects.repairs import replace
from console.dialects.repeated import note_repeated
from console.dialects.wording import capitalize, listed, shorten
from console.dialects.written import Read, Unread, Written, written_items
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.model.amounts import format_amount
from console.engine.wording.suggest import nearest

_RESOURCES = tuple(resource.value for resource in Resource)
_MEANS_MEMORY = ("memory", "mem", "ram", "memory_gib", "memory_mb", "memory_mib")


def check_queue(queue: QueueDoc, flavors: DefinedNames, findings: Findings) -> None:
    """Report errors in *queue*."""
    _QueueCheck(queue, findings).check(flavors)


@dataclass(frozen=True, slots=True)
class _QueueCheck:
    queue: QueueDoc
    findings: Findings

    def check(self, flavors: DefinedNames) -> None:
        self._check_covered()
        self._check_flavors(flavors)
        for group in self.queue.groups:
            for quota in group.flavors:
                self._check_resources(group, quota)
        self._check_preemption()
        cohort, groups = self.queue.cohort_name, self.queue.resource_groups
        passthrough = groups is None or (isinstance(groups, Written) and not groups.value)
        if isinstance(cohort, Written) and passthrough:
            self.findings.add(
                COHORT_WITHOUT_GROUPS,
                cohort.place,
                f"{capitalize(self._name)} has no resource_groups, so it cannot be in a cohort.",
                "Remove cohort_name, or add resource_groups.",
            )

    @property
    def _name(self) -> str:
        name = self.queue.name
        return f'queue "{shorten(name.value)}"' if isinstance(name, Written) else "this queue"

    def _check_covered(self) -> None:
        group_of: dict[str, int] = {}
        for index, group in enumerate(self.queue.groups):
            own: list[Written[str]] = []
            for resource in written_items(group.covered_resources):
                if not self._is_resource(resource):
                    continue
                if group_of.setdefault(resource.value, index) == index:
                    own.append(resource)
                    continue
                self.findings.add(
                    COVERED_TWICE,
                    resource.place,
                    f"{resource.value} is already covered by "
                    f"resource_groups[{group_of[resource.value]}] of {self._name}.",
                    "Remove it from one of the two groups.",
                )
            note_repeated(self.findings, DUPLICATE_ITEM, own, "Resource")

    def _is_resource(self, name: Written[str]) -> bool:
        """Return whether *name* is a resource, and report it if not."""
        if name.value in _RESOURCES:
            return True
        meant = _resource_meant(name.value)
        hint = "" if meant is None else f'Did you mean "{meant}"?'
        self.findings.add(
            UNKNOWN_RESOURCE,
            name.place,
            f'"{shorten(name.value)}" is not a resource; use {listed(_RESOURCES)}.',
            "Use memory_gb, counted in GiB." if name.value.lower() in _MEANS_MEMORY else hint,
            () if meant is None else (replace(name.place, meant),),
        )
        return False

    def _check_flavors(self, flavors: DefinedNames) -> None:
        names = [quota.name for quota in self.queue.quotas() if isinstance(quota.name, Written)]
        note_repeated(self.findings, FLAVOR_TWICE, names, f"In {self._name}, flavor")
        for name in names:
            flavors.check(name, UNKNOWN_FLAVOR, self.findings)

    def _check_resources(self, group: GroupDoc, quota: QuotaDoc) -> None:
        covered = _covered(group)
        known: list[Written[str]] = []
        for resource in quota.resources:
            name = resource.name
            if isinstance(name, Written) and self._is_resource(name):
                known.append(name)
                if covered is not None and name.value not in covered:
                    self.findings.add(
                        NOT_COVERED,
                        name.place,
                        f"{name.value} is not in covered_resources of its resource group.",
                        f"Add {name.value} to covered_resources, or remove it here.",
                    )
            self._check_limits(resource)
        note_repeated(self.findings, DUPLICATE_NAME, known, "In this flavor, resource")

    def _check_limits(self, resource: ResourceDoc) -> None:
        lending, nominal = resource.lending_limit, resource.nominal_quota
        for key, limit in (
            ("borrowing_limit", resource.borrowing_limit),
            ("lending_limit", lending),
        ):
            if isinstance(limit, Written) and self.queue.cohort_name is None:
                self.findings.add(
                    LIMIT_WITHOUT_COHORT,
                    limit.place,
                    f"{key} needs a cohort, and {self._name} has no cohort_name.",
                    f"Remove {key}, or give the queue a cohort_name.",
                )
        if (
            self.queue.cohort_name is not None
            and isinstance(lending, Written)
            and isinstance(nominal, Written)
            and lending.value > nominal.value
        ):
            most = format_amount(nominal.value)
            self.findings.add(
                LENDS_TOO_MUCH,
                lending.place,
                f"lending_limit {format_amount(lending.value)} is above nominal_quota {most}.",
                "A queue can lend at most its nominal quota.",
                (replace(lending.place, most, number=True),),
            )

    def _check_preemption(self) -> None:
        preemption = self.queue.preemption
        if preemption is None:
            return
        reclaim, borrow = preemption.reclaim_within_cohort, preemption.borrow_within_cohort
        if isinstance(borrow, Written) and _acts(borrow) and not _may_act(reclaim):
            self.findings.add(
                BORROW_NEEDS_RECLAIM,
                borrow.place,
                "borrow_within_cohort needs reclaim_within_cohort to be lower_priority or any.",
                "Set reclaim_within_cohort, or set borrow_within_cohort to never.",
                (replace(borrow.place, PreemptionRule.NEVER.value),),
            )
        elif self.queue.cohort_name is None:
            for key, setting in (
                ("reclaim_within_cohort", reclaim),
                ("borrow_within_cohort", borrow),
            ):
                if isinstance(setting, Written) and _acts(setting):
                    self.findings.add(
                        PREEMPTION_WITHOUT_COHORT,
                        setting.place,
                        f"{key} has no effect: {self._name} has no cohort_name.",
                        "Set it to never.",
                        (replace(setting.place, PreemptionRule.NEVER.value),),
                    )


def _resource_meant(name: str) -> str | None:
    """Return the resource *name*, or the one that was probably meant."""
    if name in _RESOURCES:
        return name
    return "memory_gb" if name.lower() in _MEANS_MEMORY else nearest(name, _RESOURCES)


def _covered(group: GroupDoc) -> AbstractSet[str | None] | None:
    """Return the resources that a group probably means to cover, or None if they are unclear."""
    items = group.covered_resources
    if not isinstance(items, Written) or any(isinstance(i, Unread) for i in items.value):
        return None
    meant = {_resource_meant(item.value) for item in written_items(items)}
    return None if None in meant else meant


def _acts(setting: Written[PreemptionRule] | Written[NeverOrLower]) -> bool:
    return setting.value.value != PreemptionRule.NEVER.value


def _may_act(setting: Read[PreemptionRule]) -> bool:
    return isinstance(setting, Unread) or (isinstance(setting, Written) and _acts(setting))
