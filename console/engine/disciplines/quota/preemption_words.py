"""Texts about the preemption of a queue: what it preempts, and what may preempt its workloads."""

from __future__ import annotations

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec, spec_of
from console.engine.model.policy import Policy
from console.engine.wording.words import cut

_PREEMPTS = {
    PreemptionRule.LOWER_PRIORITY: "lower priority",
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY: "lower, or newer of equal priority",
    PreemptionRule.ANY: "any",
}
_PREEMPTED_BY = {
    PreemptionRule.LOWER_PRIORITY: "workloads of higher priority",
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY: (
        "workloads of higher priority, or older ones of equal priority"
    ),
    PreemptionRule.ANY: "workloads of any priority",
}


def preemption_summary(queue: QueueSpec) -> str:
    """
    Return a short label of what *queue* preempts; empty if it has no quota.

    >>> from console.engine.disciplines.quota.spec import Preemption
    >>> preemption_summary(QueueSpec(name="q", is_passthrough=True))
    ''
    """
    if queue.is_passthrough or not queue.groups:
        return ""
    rules, parts = queue.preemption, []
    if queue.parent is not None:
        reclaims = _PREEMPTS.get(rules.reclaim_within_cohort)
        parts.append(f"reclaims {reclaims}" if reclaims else "never reclaims")
        if rules.borrow_within_cohort is not PreemptionRule.NEVER:
            parts.append(f"preempts to borrow: {_PREEMPTS[rules.borrow_within_cohort]}")
    within = _PREEMPTS.get(rules.within_queue)
    parts.append(f"within queue: {within}" if within else "never within queue")
    return " · ".join(parts)


def preempted_by(policy: Policy, queue: QueueSpec, *, borrows: bool) -> tuple[str, ...]:
    """
    Return sentences on what may preempt the workloads of *queue*, one for each policy.

    Other queues of its tree reclaim quota only from queues that borrow; *borrows* tells whether
    this one borrows now.
    """
    sentences = []
    if queue.preemption.within_queue is not PreemptionRule.NEVER:
        sentences.append(f"By {_PREEMPTED_BY[queue.preemption.within_queue]} in {queue.name}.")
    if queue.parent is None:
        return tuple(sentences)
    spec = spec_of(policy)
    reclaiming: dict[PreemptionRule, list[str]] = {}
    for name in Hierarchy(policy).around(queue.name):
        rule = spec.queues[name].preemption.reclaim_within_cohort
        if name != queue.name and rule is not PreemptionRule.NEVER:
            reclaiming.setdefault(rule, []).append(name)
    when = "now, while this queue borrows" if borrows else "when this queue borrows"
    fair = ", within fair shares" if spec.settings.fair_sharing else ""
    sentences += [
        f"By {_PREEMPTED_BY[rule]} of {cut(names)}, {when}{fair}."
        for rule, names in reclaiming.items()
    ]
    return tuple(sentences)
