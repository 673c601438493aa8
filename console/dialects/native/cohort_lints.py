"""Lints of the cohorts of a native config: cohorts and quotas that share nothing."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.quota.sharing import Owners, count_owners, sharing_block
from console.dialects.native.codes import COHORT_OF_ONE, NOTHING_SHARED, NOTHING_TO_USE
from console.dialects.native.schema import Document, QueueDoc, QuotaDoc
from console.dialects.repairs import did_you_mean
from console.dialects.wording import shorten
from console.dialects.written import Written, value_of
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger, Node
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.policy import Policy


def lint_cohorts(document: Document, policy: Policy, findings: Findings) -> None:
    """Report cohorts and quotas without effect; *policy* is the compiled *document*."""
    trees, ledger = Hierarchy(policy), Ledger(policy)
    owned = count_owners(policy, trees)
    queues = {
        queue.name.value: queue for queue in document.queues if isinstance(queue.name, Written)
    }
    for cohort in trees.roots:
        members = [queues[name] for name in trees.queues(cohort)]
        if len(members) == 1:
            _lint_alone(members[0], policy, findings)
        else:
            _lint_limits(members[0], cohort, policy, trees, findings)
    for name, queue in queues.items():
        parent = value_of(queue.cohort_name)
        if parent is not None:
            for quota in queue.quotas():
                _lint_quota(quota, ledger.queue(name), parent, owned, findings)


def _lint_alone(queue: QueueDoc, policy: Policy, findings: Findings) -> None:
    cohort = queue.cohort_name
    if not isinstance(cohort, Written):
        return
    hint, repairs = did_you_mean(findings, cohort.place, cohort.value, spec_of(policy).cohorts)
    findings.add(
        COHORT_OF_ONE,
        cohort.place,
        f'No other queue is in cohort "{shorten(cohort.value)}", so no quota is shared.',
        hint or "Put other queues into the cohort, or remove it here.",
        repairs,
    )


def _lint_limits(
    first: QueueDoc, cohort: str, policy: Policy, trees: Hierarchy, findings: Findings
) -> None:
    reason, name = sharing_block(policy, trees, cohort), first.cohort_name
    if reason is not None and isinstance(name, Written):
        findings.add(
            NOTHING_SHARED,
            name.place,
            f'Every {reason.value}_limit in cohort "{shorten(cohort)}" is 0, so no quota changes '
            "hands.",
            "Raise some of them, or take the queues out of the cohort.",
        )


def _lint_quota(
    quota: QuotaDoc, node: Node, cohort: str, owned: Owners, findings: Findings
) -> None:
    """Report each resource of which the cohort has quota and this queue can never have any."""
    flavor = value_of(quota.name) or ""
    for resource in quota.resources:
        name, nominal = value_of(resource.name) or "", resource.nominal_quota
        key = flavor, name
        if (
            isinstance(nominal, Written)
            and nominal.value == 0
            and owned[cohort, key]
            and not node.potential(key) > 0
        ):
            findings.add(
                NOTHING_TO_USE,
                nominal.place,
                f"The queue owns no {name} in flavor {shorten(flavor)} and may borrow none.",
                "Raise nominal_quota, the borrowing_limit here or the lending_limit of others.",
            )
