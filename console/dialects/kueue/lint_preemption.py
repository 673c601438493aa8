"""Lints of preemption policies and weights without effect, and of strict queues that block."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import (
    IGNORED_UNDER_FAIR_SHARING,
    NEVER_FIRES,
    ONE_PRIORITY,
    STRICT_FIFO_BLOCKS,
    THRESHOLD_BELOW_ALL,
    WEIGHT_WITHOUT_FAIR_SHARING,
    WEIGHT_ZERO,
)
from console.dialects.kueue.schema import Document, PreemptionDoc, QueueDoc
from console.dialects.kueue.words import BorrowPolicy, QueueingStrategy, Reclaim, WithinQueue
from console.dialects.quantity import Quantity
from console.dialects.repairs import replace
from console.dialects.written import Read, Written, value_of
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import WEIGHT_ONE
from console.engine.model.policy import Policy


def lint_preemption(document: Document, policy: Policy, findings: Findings) -> None:
    """Report settings that have no effect, or a surprising one."""
    is_fair = bool(spec_of(policy).settings.fair_sharing)
    values = {
        value for each in document.priority_classes if (value := value_of(each.value)) is not None
    }
    for queue in document.queues:
        if queue.preemption is not None:
            _lint_cohort_rules(queue, queue.preemption, is_fair, findings)
            _lint_threshold(queue.preemption, values, findings)
            _lint_one_priority(queue, queue.preemption, values, findings)
        _lint_strict(queue, findings)
    for node in document.nodes():
        _lint_weight(node.weight, is_fair, node.parent is None, findings)


def _lint_cohort_rules(
    queue: QueueDoc, preemption: PreemptionDoc, is_fair: bool, findings: Findings
) -> None:
    reclaim, borrow = preemption.reclaim, preemption.borrow
    rules: tuple[tuple[str, Read[Reclaim] | Read[BorrowPolicy]], ...] = (
        ("reclaimWithinCohort", reclaim),
        ("borrowWithinCohort", borrow),
    )
    for key, rule in rules:
        if isinstance(rule, Written) and rule.value.value != "Never" and queue.parent is None:
            findings.add(
                NEVER_FIRES,
                rule.place,
                f"{key} has no effect: the queue has no cohort.",
                "Set it to Never.",
                (replace(rule.place, "Never"),),
            )
    acts = isinstance(borrow, Written) and borrow.value is not BorrowPolicy.NEVER
    if acts and isinstance(borrow, Written) and is_fair and queue.parent is not None:
        findings.add(
            IGNORED_UNDER_FAIR_SHARING,
            borrow.place,
            "borrowWithinCohort is ignored under fair sharing.",
            "Set its policy to Never.",
            (replace(borrow.place, "Never"),),
        )


def _lint_threshold(preemption: PreemptionDoc, values: set[int], findings: Findings) -> None:
    threshold, borrow = preemption.threshold, preemption.borrow
    is_on = value_of(borrow) is BorrowPolicy.LOWER_PRIORITY
    if values and is_on and isinstance(threshold, Written) and threshold.value < min(values | {0}):
        findings.add(
            THRESHOLD_BELOW_ALL,
            threshold.place,
            f"maxPriorityThreshold {threshold.value} is below every priority; the lowest is "
            f"{min(values | {0})}.",
            "Raise it, or set the policy to Never.",
        )


def _lint_one_priority(
    queue: QueueDoc, preemption: PreemptionDoc, values: set[int], findings: Findings
) -> None:
    rules: tuple[tuple[str, Read[WithinQueue] | Read[Reclaim]], ...] = (
        ("withinClusterQueue", preemption.within_queue),
        ("reclaimWithinCohort", preemption.reclaim if queue.parent is not None else None),
    )
    for key, rule in rules:
        if len(values) == 1 and isinstance(rule, Written) and rule.value.value == "LowerPriority":
            (only,) = values
            rest = "none is lower" if only <= 0 else "only workloads without a class are lower"
            findings.add(
                ONE_PRIORITY,
                rule.place,
                f"{key} is LowerPriority, and every WorkloadPriorityClass has {only}: {rest}.",
                "Add a WorkloadPriorityClass of another value.",
            )


def _lint_strict(queue: QueueDoc, findings: Findings) -> None:
    strategy = queue.strategy
    flavors = sum(1 for _ in queue.quotas())
    if (
        isinstance(strategy, Written)
        and strategy.value is QueueingStrategy.STRICT_FIFO
        and flavors > 1
    ):
        findings.add(
            STRICT_FIFO_BLOCKS,
            strategy.place,
            f"A workload at the head that does not fit blocks all others, in all {flavors} "
            "flavors.",
            "Use BestEffortFIFO to let others pass.",
        )


def _lint_weight(weight: Read[Quantity], is_fair: bool, is_root: bool, findings: Findings) -> None:
    if not isinstance(weight, Written):
        return
    if not is_fair:
        if weight.value.nanos != WEIGHT_ONE:
            findings.add(
                WEIGHT_WITHOUT_FAIR_SHARING,
                weight.place,
                f"weight {weight.value} has no effect: fair sharing is not on.",
                "Add Kueue's Configuration with fairSharing, or remove the weight.",
            )
    elif weight.value.nanos == 0 and not is_root:
        findings.add(
            WEIGHT_ZERO,
            weight.place,
            "With weight 0, any borrowing counts as the largest share.",
            "Set a small weight if this is not intended.",
        )
