"""Lints of quota that cannot be used or reclaimed."""

from __future__ import annotations

from collections.abc import Sequence

from console.dialects.findings import Findings, Place
from console.dialects.kueue.lint_codes import (
    CANNOT_RECLAIM,
    LENDING_STARVES,
    NO_QUOTA_TO_BORROW,
    NOTHING_TO_USE,
)
from console.dialects.kueue.schema import Document, QueueDoc, QuotaDoc, ResourceDoc
from console.dialects.lints.quota.sharing import (
    Owners,
    count_owners,
    quotas_of,
    sharing_block,
    without_lending_limits,
)
from console.dialects.quantity import Quantity, format_quantity
from console.dialects.wording import listed, shorten
from console.dialects.written import Read, Written, value_of
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger, Node
from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec, spec_of
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.policy import Policy

#: Maximum number of queues in a message; the remaining ones are counted.
_NAMED = 5


def lint_sharing(document: Document, policy: Policy, findings: Findings) -> None:
    """Report quota that cannot be borrowed, used or reclaimed."""
    trees, ledger = Hierarchy(policy), Ledger(policy)
    roots = {name: root for root in trees.roots for name in trees.queues_below(root)}
    owned = count_owners(policy, trees)
    for queue in document.queues:
        root = roots.get(value_of(queue.name) or "")
        if root is not None:
            node = ledger.queue(value_of(queue.name) or "")
            for quota in queue.quotas():
                _lint_flavor(quota, node, root, owned, findings)
    docs = {value_of(queue.name): queue for queue in document.queues}
    free = Ledger(without_lending_limits(policy))
    for root in trees.roots:
        below = [docs[name] for name in trees.queues_below(root)]
        _lint_lenders(root, below, policy, findings)
        if sharing_block(policy, trees, root) is None:
            _lint_starved(below, policy, (ledger, free), findings)


def _lint_flavor(quota: QuotaDoc, node: Node, root: str, owned: Owners, findings: Findings) -> None:
    """Report quota of a flavor that a queue in a cohort can neither use nor borrow."""
    flavor = value_of(quota.name) or ""
    is_usable = False
    for resource in quota.each():
        name = value_of(resource.name) or ""
        own = _above_zero(resource.nominal)
        others = owned[root, (flavor, name)] > own
        is_usable = is_usable or own or others
        what = f"{shorten(name)} in flavor {shorten(flavor)}"
        if not others and _above_zero(resource.borrowing):
            is_usable = True
            findings.add(
                NO_QUOTA_TO_BORROW,
                _place(resource.borrowing, resource),
                f"No other queue or cohort of the tree owns {what}, so there is none to borrow.",
                "Use a flavor in which others have quota, or set a nominal quota.",
            )
        elif others and not node.potential((flavor, name)) > 0:
            findings.add(
                NOTHING_TO_USE,
                _place(resource.nominal, resource),
                f"The queue owns no {what} and may borrow none, so it never admits any.",
                "Raise nominalQuota, the borrowingLimit here or the lendingLimit of others.",
            )
    if not is_usable and isinstance(quota.name, Written):
        # A single 0 is not reported: every covered resource has to be listed, so 0 means that
        # the flavor has none of it.
        findings.add(
            NO_QUOTA_TO_BORROW,
            quota.name.place,
            f"No queue or cohort of the tree has quota in flavor {shorten(flavor)}, so there is "
            "nothing to use or to borrow.",
            "Use a flavor in which others have quota, or set a nominal quota.",
        )


def _above_zero(quantity: Read[Quantity]) -> bool:
    return isinstance(quantity, Written) and quantity.value.nanos > 0


def _place(quantity: Read[Quantity], resource: ResourceDoc) -> Place:
    return quantity.place if isinstance(quantity, Written) else resource.place


def _lint_starved(
    docs: Sequence[QueueDoc], policy: Policy, ledgers: tuple[Ledger, Ledger], findings: Findings
) -> None:
    """
    Report, once for each flavor-resource of a tree, a queue whose largest workloads starve.

    The largest workload is one that fills the queue with the largest quota. *ledgers* are that of
    the policy, and one without lending limits.
    """
    largest: dict[FlavorResource, tuple[Amount, str]] = {}
    for doc in docs:
        queue = spec_of(policy).queues[value_of(doc.name) or ""]
        for key, quota in quotas_of([queue]):
            if key not in largest or quota.nominal > largest[key][0]:
                largest[key] = quota.nominal, queue.name
    ledger, free = ledgers
    noted: set[FlavorResource] = set()
    for doc in docs:
        name = value_of(doc.name) or ""
        for quota_doc in doc.quotas():
            for resource in quota_doc.each():
                key = value_of(quota_doc.name) or "", value_of(resource.name) or ""
                most, owner = largest[key]
                own = ledger.queue(name).potential(key)
                if key in noted or not 0 < own < most or free.queue(name).potential(key) < most:
                    continue
                noted.add(key)
                flavor, unit = shorten(key[0]), shorten(key[1])
                findings.add(
                    LENDING_STARVES,
                    _place(resource.nominal, resource),
                    f"Because of lending limits the queue has {format_quantity(own, unit)} {unit} "
                    f"in flavor {flavor} at most: a workload that fills "
                    f'"{shorten(owner)}" ({format_quantity(most, unit)}) never fits.',
                    "Raise the lendingLimit of others, or nominalQuota here.",
                )


def _lint_lenders(root: str, docs: Sequence[QueueDoc], policy: Policy, findings: Findings) -> None:
    """Report, once per tree, the queues that lend quota and cannot reclaim it."""
    queues = [spec_of(policy).queues[value_of(doc.name) or ""] for doc in docs]
    lenders = [queue.name for queue in queues if _lends_without_reclaim(queue)]
    borrowers = {queue.name for queue in queues if _may_borrow(queue)}
    # A queue does not borrow from itself.
    if not lenders or (len(lenders) == 1 and borrowers <= set(lenders)):
        return
    doc = next(doc for doc in docs if value_of(doc.name) == lenders[0])
    shown = [shorten(name) for name in lenders[:_NAMED]]
    if len(lenders) > _NAMED:
        shown.append(f"{len(lenders) - _NAMED} more")
    findings.add(
        CANNOT_RECLAIM,
        doc.name.place if isinstance(doc.name, Written) else doc.place,
        f'In cohort "{shorten(root)}", quota that {listed(shown, "and")} '
        f"{'lends' if len(lenders) == 1 else 'lend'} returns only when the borrowing workload "
        "ends.",
        "Set reclaimWithinCohort, or a lendingLimit below nominalQuota.",
    )


def _lends_without_reclaim(queue: QueueSpec) -> bool:
    return queue.preemption.reclaim_within_cohort is PreemptionRule.NEVER and any(
        quota.nominal > 0 and quota.lending_limit > 0 for _, quota in quotas_of([queue])
    )


def _may_borrow(queue: QueueSpec) -> bool:
    return any(quota.borrowing_limit > 0 for _, quota in quotas_of([queue]))
