"""Lints of cohorts that share nothing: one queue, no queue, misspelled, or all limits at zero."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import (
    COHORT_EMPTY,
    COHORT_MISSPELLED,
    COHORT_OF_ONE,
    COHORT_SHARES_NOTHING,
    NO_GROUPS,
)
from console.dialects.kueue.schema import CohortDoc, Document, QueueDoc
from console.dialects.lints.quota.sharing import sharing_block
from console.dialects.repairs import did_you_mean
from console.dialects.wording import shorten
from console.dialects.written import Written
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.policy import Policy


def lint_cohorts(document: Document, policy: Policy, findings: Findings) -> None:
    """Report cohorts that have no effect."""
    trees = Hierarchy(policy)
    named: defaultdict[str, list[QueueDoc | CohortDoc]] = defaultdict(list)
    for node in document.nodes():
        if isinstance(node.parent, Written):
            named[node.parent.value].append(node)
    described = {
        cohort.name.value for cohort in document.cohorts if isinstance(cohort.name, Written)
    }
    cohorts = [*described, *(name for name in named if name not in described)]
    misspelled = {
        name
        for name, members in named.items()
        if name not in described
        and len(members) == 1
        and _lint_spelling(members[0], cohorts, findings)
    }
    queues = {
        queue.name.value: queue for queue in document.queues if isinstance(queue.name, Written)
    }
    for root in trees.roots:
        below = trees.queues_below(root)
        if root in misspelled:
            continue
        if len(below) == 1:
            _lint_alone(queues[below[0]], root, trees, policy, findings)
        elif below:
            _lint_limits(root, queues[below[0]], policy, trees, findings)
    for cohort in document.cohorts:
        name_read = cohort.name
        if isinstance(name_read, Written) and not trees.queues_below(name_read.value):
            findings.add(
                COHORT_EMPTY,
                name_read.place,
                f'No ClusterQueue is in cohort "{shorten(name_read.value)}" or below it.',
                "Name it in a ClusterQueue, or remove it.",
            )
    for queue in document.queues:
        if not queue.groups and isinstance(queue.name, Written):
            findings.add(
                NO_GROUPS,
                queue.name.place,
                f'"{shorten(queue.name.value)}" has no resourceGroups, so it admits only workloads '
                "that request nothing.",
                "Add resourceGroups.",
            )


def _lint_spelling(node: QueueDoc | CohortDoc, cohorts: Sequence[str], findings: Findings) -> bool:
    """Report a cohort whose name is similar to another one; return whether it was reported."""
    parent = node.parent
    if not isinstance(parent, Written):
        return False
    hint, repairs = did_you_mean(findings, parent.place, parent.value, cohorts)
    if not repairs or not _is_close(parent.value, repairs[0].edits[0].text):
        return False
    findings.add(
        COHORT_MISSPELLED,
        parent.place,
        f'Cohort "{shorten(parent.value)}" is named only here, and nothing defines it.',
        hint,
        repairs,
    )
    return True


def _is_close(word: str, other: str) -> bool:
    """Return whether two names differ only in letters; a different number is another name."""
    return "".join(c for c in word if c.isdigit()) == "".join(c for c in other if c.isdigit())


def _lint_alone(
    queue: QueueDoc, root: str, trees: Hierarchy, policy: Policy, findings: Findings
) -> None:
    """Report a queue that is alone under *root*, if no cohort above it has quota."""
    parent = queue.parent
    if not isinstance(parent, Written):
        return
    above = [parent.value, *trees.path(parent.value)]
    if any(spec_of(policy).cohorts[name].groups for name in above):
        return
    findings.add(
        COHORT_OF_ONE,
        parent.place,
        f'"{shorten(parent.value)}" has no other queue and no quota, so no quota can '
        "be borrowed from it."
        if parent.value == root
        else f'No other queue is below "{shorten(root)}", and no cohort there owns anything.',
        "Put other queues into the cohort, or remove it here.",
    )


def _lint_limits(
    root: str, first: QueueDoc, policy: Policy, trees: Hierarchy, findings: Findings
) -> None:
    reason, parent = sharing_block(policy, trees, root), first.parent
    if reason is not None and isinstance(parent, Written):
        findings.add(
            COHORT_SHARES_NOTHING,
            parent.place,
            f'Every {reason.value}Limit below cohort "{shorten(root)}" is 0, so no quota changes '
            "hands.",
            "Raise some of them, or take the queues out of the cohort.",
        )
