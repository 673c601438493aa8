"""Preemption in words: whom a queue stops, and who may stop what runs in it."""

from __future__ import annotations

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy, PreemptionRule, Queue
from console.pages.presenters.cohorts.lending import listed
from console.workloads.queries import QueueView

_WHOM = {
    PreemptionRule.LOWER_PRIORITY: "lower priority",
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY: "lower, or newer of equal priority",
    PreemptionRule.ANY: "any",
}
_BY = {
    PreemptionRule.LOWER_PRIORITY: "workloads of higher priority",
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY: (
        "workloads of higher priority, or older ones of equal priority"
    ),
    PreemptionRule.ANY: "workloads of any priority",
}


def preemption_summary(queue: Queue | None) -> str:
    """
    Return whom *queue* stops to make room, in a few words; empty where nothing has to be stopped.

    >>> from console.engine.model.policy import Preemption
    >>> preemption_summary(Queue(name="q", groups=(None,), parent="ml", preemption=Preemption(
    ...     within_queue=PreemptionRule.NEVER, reclaim_within_cohort=PreemptionRule.ANY)))
    'reclaims any · never within queue'
    >>> preemption_summary(Queue(name="q", is_passthrough=True))
    ''
    """
    if queue is None or queue.is_passthrough or not queue.groups:
        return ""
    rules, parts = queue.preemption, []
    if queue.parent is not None:
        reclaims = _WHOM.get(rules.reclaim_within_cohort)
        parts.append(f"reclaims {reclaims}" if reclaims else "never reclaims")
        if rules.borrow_within_cohort is not PreemptionRule.NEVER:
            parts.append(f"preempts to borrow: {_WHOM[rules.borrow_within_cohort]}")
    within = _WHOM.get(rules.within_queue)
    parts.append(f"within queue: {within}" if within else "never within queue")
    return " · ".join(parts)


def stoppers_of(view: QueueView, policy: Policy) -> tuple[str, ...]:
    """
    Return who may have what runs in the queue of *view* stopped, one sentence for each way.

    Empty: nobody may. Only a queue that borrows has to fear others of its tree, for what they
    take back is theirs.
    """
    queue = view.settings
    if queue is None:
        # Its quota is gone with it: nobody of a cohort can ask for anything here.
        return ()
    said = []
    if queue.preemption.within_queue is not PreemptionRule.NEVER:
        said.append(f"By {_BY[queue.preemption.within_queue]} in {view.name}.")
    if queue.parent is None:
        return tuple(said)
    reclaiming: dict[PreemptionRule, list[str]] = {}
    for name in load_discipline(policy.discipline).tree(policy).around(view.name):
        rule = policy.queues[name].preemption.reclaim_within_cohort
        if name != view.name and rule is not PreemptionRule.NEVER:
            reclaiming.setdefault(rule, []).append(name)
    borrows = any(usage.borrowed for usage in view.usages)
    when = "now, while this queue borrows" if borrows else "when this queue borrows"
    fair = ", within fair shares" if policy.settings.fair_sharing else ""
    said += [
        f"By {_BY[rule]} of {listed(names)}, {when}{fair}." for rule, names in reclaiming.items()
    ]
    return tuple(said)
