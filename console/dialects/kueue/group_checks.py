"""Checks of resource groups: resources, flavors, limits and counts (Kueue, spec 1.3, 1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from console.dialects.codes import DUPLICATE_ITEM, DUPLICATE_NAME
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.kueue.codes import (
    COVERED_TWICE,
    FLAVOR_TWICE,
    LENDS_TOO_MUCH,
    LIMIT_WITHOUT_COHORT,
    RESOURCES_DIFFER,
    RESOURCES_ORDER,
)
from console.dialects.kueue.limits import (
    MOST_GROUPS,
    MOST_IN_QUEUE,
    MOST_ITEMS,
    MOST_PAIRS,
    check_count,
)
from console.dialects.kueue.names import check_label_key
from console.dialects.kueue.schema import (
    CohortDoc,
    GroupDoc,
    NodeDoc,
    QueueDoc,
    QuotaDoc,
    ResourceDoc,
)
from console.dialects.repairs import remove_field, replace
from console.dialects.repeated import note_repeated
from console.dialects.wording import listed, shorten
from console.dialects.written import Unread, Written, written_items


def check_groups(node: NodeDoc, findings: Findings) -> None:
    """Report errors in the resource groups of a queue or cohort."""
    _GroupsCheck(node, findings).check()


@dataclass(frozen=True, slots=True)
class _GroupsCheck:
    node: NodeDoc
    findings: Findings

    def check(self) -> None:
        groups = self.node.groups
        check_count(
            [group.place for group in groups], MOST_GROUPS, "resource groups", self.findings
        )
        self._check_covered()
        names = [quota.name for quota in self.node.quotas() if isinstance(quota.name, Written)]
        note_repeated(self.findings, FLAVOR_TWICE, names, f"In {self._what}, flavor")
        if isinstance(self.node, QueueDoc):
            self._check_totals(self.node)
        for group in groups:
            flavors = group.quotas()
            check_count([f.place for f in flavors], MOST_ITEMS, "flavors of a group", self.findings)
            covered = _covered(group)
            for quota in flavors:
                self._check_resources(covered, quota)

    @property
    def _what(self) -> str:
        kind = "cohort" if isinstance(self.node, CohortDoc) else "queue"
        name = self.node.name
        return f'{kind} "{shorten(name.value)}"' if isinstance(name, Written) else f"this {kind}"

    def _check_covered(self) -> None:
        group_of: dict[str, int] = {}
        for index, group in enumerate(self.node.groups):
            items = written_items(group.covered)
            places = [item.place for item in items]
            check_count(places, MOST_ITEMS, "covered resources of a group", self.findings)
            own: list[Written[str]] = []
            for resource in items:
                check_label_key(resource, "the name of a resource", self.findings)
                if group_of.setdefault(resource.value, index) == index:
                    own.append(resource)
                    continue
                self.findings.add(
                    COVERED_TWICE,
                    resource.place,
                    f"{shorten(resource.value)} is already covered by "
                    f"resourceGroups[{group_of[resource.value]}] of {self._what}.",
                    "Remove it from one of the two groups.",
                )
            note_repeated(self.findings, DUPLICATE_ITEM, own, "Resource")

    def _check_totals(self, queue: QueueDoc) -> None:
        """Check the counts that the webhook limits only in ClusterQueues (Kueue, spec 1.3, 1.4)."""
        flavors = [quota.place for quota in queue.quotas()]
        check_count(flavors, MOST_IN_QUEUE, "flavors of a ClusterQueue", self.findings)
        covered = [item.place for group in queue.groups for item in written_items(group.covered)]
        check_count(covered, MOST_IN_QUEUE, "resources of a ClusterQueue", self.findings)
        for group in queue.groups:
            pairs = [r.place for quota in group.quotas() for r in quota.each()]
            check_count(pairs, MOST_PAIRS, "flavor-resources of a group", self.findings)

    def _check_resources(self, covered: Sequence[str] | None, quota: QuotaDoc) -> None:
        resources = quota.resources
        if resources is None:
            return
        for resource in quota.each():
            self._check_limits(resource)
        names = [r.name for r in quota.each() if isinstance(r.name, Written)]
        if len(note_repeated(self.findings, DUPLICATE_NAME, names, "Resource")) < len(names):
            return
        if covered is None or len(names) < len(resources):
            return
        written = [name.value for name in names]
        if written == list(covered):
            return
        if sorted(written) == sorted(covered):
            self._note_order(covered, quota, names)
            return
        extra = [name for name in names if name.value not in covered]
        missing = [resource for resource in covered if resource not in written]
        for name in extra:
            self.findings.add(
                RESOURCES_DIFFER,
                name.place,
                f"{shorten(name.value)} is not in coveredResources of its resource group.",
                f"Add it there, or remove it here; covered {'is' if len(covered) == 1 else 'are'} "
                f"{listed([shorten(c) for c in covered[:8]], 'and')}.",
                (replace(name.place, missing[0]),) if len(extra) == len(missing) == 1 else (),
            )
        if missing and not extra:
            flavor = quota.name
            self.findings.add(
                RESOURCES_DIFFER,
                flavor.place if isinstance(flavor, Written) else quota.place,
                f"The flavor has no quota for {listed([shorten(m) for m in missing[:8]], 'and')}, "
                "which its resource group covers.",
                "Add it to resources; a nominalQuota of 0 blocks.",
            )

    def _note_order(
        self, covered: Sequence[str], quota: QuotaDoc, names: Sequence[Written[str]]
    ) -> None:
        first = next(n for n, c in zip(names, covered, strict=True) if n.value != c)
        resources = {name.value: r.place for name, r in zip(names, quota.each(), strict=True)}
        self.findings.add(
            RESOURCES_ORDER,
            first.place,
            f"{shorten(first.value)} is at the place of "
            f"{shorten(covered[names.index(first)])} in coveredResources.",
            f"Write them in the order {listed([shorten(c) for c in covered[:8]], 'and')}.",
            self._reorder([resources[c] for c in covered]),
        )

    def _reorder(self, wanted: Sequence[Place]) -> tuple[Repair, ...]:
        """Return the repair that puts items of a list in the order of *wanted*."""
        places = sorted(wanted)
        text = self.findings.positions.text
        if any(a.end > b.start for a, b in pairwise(places)):
            # Aliases: several items are the same text.
            return ()
        edits = tuple(
            Edit(old.start, old.end, text[new.start : new.end])
            for old, new in zip(places, wanted, strict=True)
            if old != new
        )
        return (Repair("Put them in the order of coveredResources", edits),)

    def _check_limits(self, resource: ResourceDoc) -> None:
        limits = (
            ("borrowingLimit", resource.borrowing),
            ("lendingLimit", resource.lending),
        )
        above = "parent" if isinstance(self.node, CohortDoc) else "cohort"
        if self.node.parent is None:
            for key, limit in limits:
                if isinstance(limit, Written):
                    self.findings.add(
                        LIMIT_WITHOUT_COHORT,
                        limit.place,
                        f"{key} needs a {above}, and {self._what} has none.",
                        f"Remove {key}, or name the {above}.",
                        (remove_field(self.findings, limit.place, key),),
                    )
            return
        lending, nominal = resource.lending, resource.nominal
        if (
            isinstance(self.node, QueueDoc)
            and isinstance(lending, Written)
            and isinstance(nominal, Written)
            and lending.value.nanos > nominal.value.nanos
        ):
            most = str(nominal.value)
            self.findings.add(
                LENDS_TOO_MUCH,
                lending.place,
                f"lendingLimit {lending.value} is above nominalQuota {most}.",
                "A queue can lend at most its nominal quota.",
                (replace(lending.place, most, number=most.isdigit()),),
            )


def _covered(group: GroupDoc) -> list[str] | None:
    """Return the covered resources of a group, or None if they are invalid or repeated."""
    items = group.covered
    if not isinstance(items, Written) or any(isinstance(i, Unread) for i in items.value):
        return None
    covered = [item.value for item in written_items(items)]
    return covered if len(set(covered)) == len(covered) else None
