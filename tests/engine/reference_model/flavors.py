"""Flavor assignment: the flavors of a workload's pod sets, and the mode of each (spec 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from console.engine.disciplines.quota.spec import (
    Fungibility,
    FungibilityPolicy,
    PreemptionRule,
    Preference,
    QueueSpec,
    ResourceGroup,
    Undeclared,
    spec_of,
)
from console.engine.model.nodes import accepts, untolerated
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from tests.engine.reference_model.tree import Tree
from tests.engine.reference_model.world import POD, PODS, Complaint, Pair, Scan, Usage, total


class Mode(IntEnum):
    """How a flavor can serve a request, from worst to best."""

    NO_FIT = 0
    NO_CANDIDATES = 1
    PREEMPT = 2
    RECLAIM = 3
    FIT = 4


#: Codes of complaints, from the most hopeful to the least (spec 6.8).
NO_FIT_REASONS = ("", "WaitingForQuota", "ExceedsMaxQuota", "NoMatchingFlavor")


@dataclass(frozen=True, kw_only=True)
class Grade:
    """A mode and its borrowing level."""

    mode: Mode
    level: int = 0
    #: The reason of a NO_FIT.
    no_fit_reason: str = ""


#: Returns mode and borrowing level of preemption for one flavor-resource alone.
Oracle: TypeAlias = Callable[[Pair, int], tuple[Mode, int]]
#: Pod set -> resource -> the flavor of its nomination.
Nomination: TypeAlias = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The flavor assigned to one resource of a pod set."""

    flavor: str
    grade: Grade
    #: Index of the last flavor tried; -1 if no flavor is left.
    tried: int


@dataclass(kw_only=True)
class PodSetChoice:
    """The flavors assigned to one pod set."""

    name: str
    count: int
    #: Request of all its pods by resource.
    requests: dict[str, int]
    choices: dict[str, Choice] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)
    #: Flavor -> its worst grade, for all flavors tried.
    attempts: dict[str, Grade] = field(default_factory=dict)

    @property
    def mode(self) -> Mode:
        """The worst mode of its resources; without flavors, FIT unless there is a complaint."""
        if not self.choices:
            return Mode.NO_FIT if self.complaints else Mode.FIT
        return min(each.grade.mode for each in self.choices.values())


@dataclass(kw_only=True)
class Choices:
    """The assignment of a workload; pod sets after one that failed are missing."""

    pod_sets: list[PodSetChoice] = field(default_factory=list)
    #: The reason why the workload cannot fit, if any.
    no_fit_reason: str = ""

    @property
    def is_fit(self) -> bool:
        """Return whether everything is free."""
        return all(each.mode is Mode.FIT for each in self.pod_sets)

    @property
    def is_no_fit(self) -> bool:
        """Return whether some request cannot be met, not even by preemption."""
        return any(each.mode is Mode.NO_FIT for each in self.pod_sets)

    @property
    def level(self) -> int:
        """The highest borrowing level."""
        return max((each.grade.level for _, each in self._flat()), default=0)

    @property
    def usage(self) -> Usage:
        """The usage of the assignment."""
        return total(
            {(choice.flavor, resource): part.requests[resource]}
            for part in self.pod_sets
            for resource, choice in part.choices.items()
        )

    @property
    def short(self) -> set[Pair]:
        """The flavor-resources that need preemption."""
        return {
            (choice.flavor, resource)
            for resource, choice in self._flat()
            if choice.grade.mode is not Mode.FIT
        }

    @property
    def tried(self) -> dict[str, dict[str, int]]:
        """Pod set -> resource -> index of the last flavor tried."""
        return {
            part.name: {resource: choice.tried for resource, choice in part.choices.items()}
            for part in self.pod_sets
        }

    @property
    def nomination(self) -> Nomination:
        """Pod set -> resource -> flavor."""
        return {
            part.name: {resource: choice.flavor for resource, choice in part.choices.items()}
            for part in self.pod_sets
        }

    def _flat(self) -> list[tuple[str, Choice]]:
        return [pair for part in self.pod_sets for pair in part.choices.items()]


@dataclass(frozen=True, kw_only=True)
class Walker:
    """The flavor assigner of one workload in its queue."""

    tree: Tree
    queue: QueueSpec
    workload: Workload
    oracle: Oracle
    scan: Scan | None = None
    #: The only flavors allowed; None allows all.
    nomination: Nomination | None = None

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self.tree.policy

    def assign(self, counts: Mapping[str, int]) -> Choices:
        """Return flavors for *counts* pods of each pod set."""
        result = Choices()
        for members in _together(self.workload.pod_sets):
            parts = [self._part(each, counts[each.name]) for each in members]
            asked: dict[str, int] = {}
            for part in parts:
                for resource, amount in part.requests.items():
                    asked[resource] = asked.get(resource, 0) + amount
            failure = self._assign_together(members, parts, asked, result.usage)
            result.pod_sets += parts
            if failure:
                result.no_fit_reason = failure
                break
        return result

    def accepts(self, flavor: str, pod_set: PodSet) -> bool:
        """Return whether pods of *pod_set* may use *flavor*."""
        return self._unfit(flavor, [pod_set]) is None

    def _part(self, pod_set: PodSet, count: int) -> PodSetChoice:
        keeps_zeros = spec_of(self.policy).settings.zeros_take_flavors
        requests = {
            resource: amount * count
            for resource, amount in pod_set.requests.items()
            if amount or keeps_zeros
        }
        if self._group_of(PODS) is not None:
            requests[PODS] = count * POD
        return PodSetChoice(name=pod_set.name, count=count, requests=requests)

    def _group_of(self, resource: str) -> ResourceGroup | None:
        return next((each for each in self.queue.groups if resource in each.resources), None)

    def _assign_together(
        self,
        members: list[PodSet],
        parts: list[PodSetChoice],
        asked: dict[str, int],
        assumed: Usage,
    ) -> str:
        """Assign flavors to a pod set group; return the reason why it cannot fit, or ""."""
        chosen: dict[str, Choice] = {}
        complaints: list[Complaint] = []
        attempts: dict[str, Grade] = {}
        #: The least hopeful mode so far, including groups that assigned flavors.
        worst_reason = 0
        for resource in sorted(asked, key=_iteration_key):
            if resource in chosen:
                continue
            group = self._group_of(resource)
            if group is None:
                if (
                    not asked[resource]
                    or spec_of(self.policy).settings.undeclared is Undeclared.IGNORE
                ):
                    continue
                found, said = None, [Complaint(code="ResourceNotCovered", resource=resource)]
                looked: dict[str, Grade] = {}
            else:
                wanted = {name: amount for name, amount in asked.items() if name in group.resources}
                found, said, looked = self._walk(group, members, wanted, resource, assumed)
            attempts |= looked
            reasons = [
                NO_FIT_REASONS.index(each.no_fit_reason)
                for each in looked.values()
                if each.no_fit_reason
            ]
            worst_reason = max(worst_reason, min(reasons, default=0))
            if found is None:
                for part in parts:
                    part.complaints, part.attempts = list(said), attempts
                return NO_FIT_REASONS[worst_reason] or "NoMatchingFlavor"
            chosen |= found
            complaints += said
        for part in parts:
            part.choices = {name: chosen[name] for name in part.requests if name in chosen}
            part.complaints, part.attempts = list(complaints), dict(attempts)
        return ""

    def _walk(
        self,
        group: ResourceGroup,
        members: list[PodSet],
        wanted: Mapping[str, int],
        resource: str,
        assumed: Usage,
    ) -> tuple[dict[str, Choice] | None, list[Complaint], dict[str, Grade]]:
        """Try the flavors of *group* in order; return choices, complaints and all grades."""
        complaints: list[Complaint] = []
        attempts: dict[str, Grade] = {}
        best: tuple[str, Grade, dict[str, Grade]] | None = None
        first = members[0].name
        start = 0 if self.scan is None else self.scan.tried.get(first, {}).get(resource, -1) + 1
        index = start
        for index in range(start, len(group.flavors)):
            flavor = group.flavors[index].flavor
            if self.nomination is not None and flavor != self.nomination[first].get(resource):
                complaints.append(
                    Complaint(code="OutsideNomination", flavor=flavor, resource=resource)
                )
                continue
            unfit = self._unfit(flavor, members)
            if unfit is not None:
                complaints.append(unfit)
                attempts[flavor] = Grade(mode=Mode.NO_FIT, no_fit_reason="NoMatchingFlavor")
                continue
            grades: dict[str, Grade] = {}
            for name in wanted:
                grades[name], complaint = self._check((flavor, name), wanted[name], assumed)
                complaints += [complaint] if complaint else []
            worst = self._worst(list(grades.values()))
            attempts[flavor] = worst
            if worst.mode is not Mode.NO_FIT and not self._tries_next_flavor(worst):
                best = (flavor, worst, grades)
                break
            if worst.mode is not Mode.NO_FIT and (
                best is None or self.is_preferred(worst, best[1])
            ):
                best = (flavor, worst, grades)
        if best is None:
            return None, complaints, attempts
        flavor, worst, grades = best
        if worst.mode is Mode.FIT:
            complaints = []
        tried = -1 if index == len(group.flavors) - 1 else index
        given = {
            name: Choice(flavor=flavor, grade=grade, tried=tried) for name, grade in grades.items()
        }
        return given, complaints, attempts

    def _unfit(self, name: str, members: list[PodSet]) -> Complaint | None:
        """Return why pods of *members* cannot use nodes of this flavor, or None (spec 6.2, 6.3)."""
        flavor = spec_of(self.policy).flavors.get(name)
        if flavor is None:
            return Complaint(code="FlavorMissing", flavor=name)
        if not flavor.selector.matches(self.workload.labels):
            return Complaint(code="LabelsDoNotMatch", flavor=name)
        for each in members:
            taint = untolerated(flavor.taints, each.tolerations + flavor.tolerations)
            if taint is not None:
                marks = (taint.key, taint.value, taint.effect.value)
                return Complaint(code="TaintNotTolerated", flavor=name, taint=marks)
        for each in members:
            if not accepts(flavor.node_labels, each.node_selector, each.affinity):
                return Complaint(code="LabelsDoNotMatch", flavor=name)
        return None

    def _check(self, pair: Pair, requested: int, assumed: Usage) -> tuple[Grade, Complaint | None]:
        """Return the grade of one flavor-resource, with the complaint if any (spec 6.4)."""
        flavor, resource = pair
        before = assumed.get(pair, 0)
        amount = before + requested
        capacity = self.tree.potential(self.queue, pair)
        if amount > capacity:
            return Grade(mode=Mode.NO_FIT, no_fit_reason="ExceedsMaxQuota"), Complaint(
                code="AboveCapacity",
                flavor=flavor,
                resource=resource,
                assumed=before,
                requested=requested,
                capacity=capacity,
            )
        level, may_reclaim = self.tree.level(self.queue, pair, amount)
        room = self.tree.room(self.queue, pair)
        if amount <= room:
            return Grade(mode=Mode.FIT, level=level), None
        complaint = Complaint(
            code="NotEnoughFree", flavor=flavor, resource=resource, missing=amount - room
        )
        if (
            self.tree.nominal(self.queue, pair) >= amount
            or may_reclaim
            or self._may_preempt_while_borrowing()
        ):
            mode, level = self.oracle(pair, amount)
            return Grade(mode=mode, level=level), complaint
        return Grade(mode=Mode.NO_FIT, no_fit_reason="WaitingForQuota"), complaint

    def _may_preempt_while_borrowing(self) -> bool:
        rules = self.queue.preemption
        if spec_of(self.policy).settings.fair_sharing:
            return rules.reclaim_within_cohort is not PreemptionRule.NEVER
        return rules.borrow_within_cohort is not PreemptionRule.NEVER

    def _worst(self, grades: list[Grade]) -> Grade:
        worst = grades[0]
        for each in grades[1:]:
            if self.is_preferred(worst, each):
                worst = each
        if worst.mode is Mode.NO_FIT:
            reasons = [
                NO_FIT_REASONS.index(each.no_fit_reason)
                for each in grades
                if each.mode is Mode.NO_FIT
            ]
            return Grade(mode=Mode.NO_FIT, no_fit_reason=NO_FIT_REASONS[max(reasons)])
        return worst

    def _tries_next_flavor(self, grade: Grade) -> bool:
        """Return whether the search continues after a flavor of this grade (spec 6.5)."""
        rules: Fungibility = self.queue.fungibility
        if grade.mode in (Mode.NO_FIT, Mode.NO_CANDIDATES):
            return True
        if grade.mode is not Mode.FIT and rules.when_can_preempt is FungibilityPolicy.TRY_NEXT:
            return True
        return grade.level > 0 and rules.when_can_borrow is FungibilityPolicy.TRY_NEXT

    def is_preferred(self, left: Grade, right: Grade) -> bool:
        """Return whether *left* is strictly better than *right* (spec 6.5)."""
        if left.mode is Mode.NO_FIT or right.mode is Mode.NO_FIT:
            return left.mode is not Mode.NO_FIT
        if (left.mode is Mode.NO_CANDIDATES) != (right.mode is Mode.NO_CANDIDATES):
            return right.mode is Mode.NO_CANDIDATES
        if self.queue.fungibility.preference is Preference.PREEMPTION_OVER_BORROWING:
            return (-left.level, left.mode) > (-right.level, right.mode)
        return (left.mode, -left.level) > (right.mode, -right.level)


def _together(pod_sets: tuple[PodSet, ...]) -> list[list[PodSet]]:
    """Return the pod set groups in the order of their first members."""
    groups: list[list[PodSet]] = []
    for each in pod_sets:
        for group in groups:
            if each.group is not None and group[0].group == each.group:
                group.append(each)
                break
        else:
            groups.append([each])
    return groups


def _iteration_key(resource: str) -> int:
    """Return the FNV-1a hash of the name, which is Kueue's order of resources (spec 6.1)."""
    value = 0xCBF29CE484222325
    for byte in resource.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value
