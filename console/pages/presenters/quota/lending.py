"""Borrowing and lending in words: who may take back, lend and borrow what, and who goes short."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec, QuotaSettings, spec_of
from console.engine.disciplines.read_model import FairShare
from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.wording.words import amount, quantity
from console.pages.presenters.quota_bars.quota_bar import up_to
from console.workloads.queries.cohort_views import MemberView, Starved

#: Limits and names that one cell lists.
_LISTED = 3

_FROM = {
    PreemptionRule.LOWER_PRIORITY: "workloads of lower priority",
    PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY: (
        "workloads of lower priority, and newer ones of equal priority"
    ),
    PreemptionRule.ANY: "workloads of any priority",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesRow:
    """What one queue may take from the others of its cohort, and they from it."""

    name: str
    reclaims: str
    borrows_by_force: str
    lends: str
    borrows: str
    #: Why its settings cannot work out; empty when they can.
    warning: str
    #: Where the config says so.
    origin: Origin | None
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StarvedNotice:
    """A queue that waits for quota of its own, in one sentence and a half."""

    queue: str
    text: str
    back: str
    key: str


def rules_rows(
    members: Iterable[MemberView], everybody: Sequence[MemberView], policy: Policy
) -> tuple[RulesRow, ...]:
    """Return how each queue among *members* can borrow from and reclaim from *everybody* else."""
    takers = [
        (each.name, {usage.key for usage in each.usages if usage.limit > usage.guaranteed})
        for each in everybody
        if each.queue is not None
    ]
    spec = spec_of(policy)
    described = [(each, spec.queues[each.name]) for each in members if each.queue is not None]
    return tuple(
        RulesRow(
            name=member.name,
            reclaims=reclaim_words(queue, spec.settings),
            borrows_by_force=_borrow_words(queue, spec.settings),
            lends=_lends(member.usages),
            borrows=_borrows(member.usages),
            warning=_warning(member, queue, takers),
            origin=rule_origin(queue),
            key=member.name.encode().hex(),
        )
        for member, queue in described
    )


def starved_notices(starved: Iterable[Starved], policy: Policy) -> tuple[StarvedNotice, ...]:
    """Return a notice for each queue and flavor-resource of *starved*."""
    notices = []
    for each in starved:
        users = listed(
            [
                f"{loan.borrower} ({up_to(loan.amount, loan.resource, loan.is_certain)})"
                for loan in each.loans
            ]
        )
        rule = spec_of(policy).queues[each.queue].preemption.reclaim_within_cohort
        notices.append(
            StarvedNotice(
                queue=each.queue,
                text=f"waits for {amount(each.wanted, each.resource)} on {each.flavor} and "
                f"has {quantity(each.unused, each.resource)} of its nominal quota unused. "
                f"In use by {users}.",
                back="It never reclaims quota, so it waits until those workloads end."
                if rule is PreemptionRule.NEVER
                else f"It may reclaim quota from {_FROM[rule]}.",
                key=f"{each.queue}\0{each.flavor}\0{each.resource}".encode().hex(),
            )
        )
    return tuple(notices)


def rule_origin(queue: QueueSpec) -> Origin | None:
    """Return where the config says what *queue* may stop; the whole queue where it says nothing."""
    return queue.preemption.origin or queue.origin


def reclaim_words(queue: QueueSpec, settings: QuotaSettings) -> str:
    """
    Return from which work *queue* takes its own quota back (Kueue, spec 7.2).

    >>> reclaim_words(QueueSpec(name="q"), QuotaSettings())
    'Never: waits until borrowers end'
    """
    rule = queue.preemption.reclaim_within_cohort
    if rule is PreemptionRule.NEVER:
        return "Never: waits until borrowers end"
    fair = ", within fair shares" if settings.fair_sharing else ""
    return f"From {_FROM[rule]}{fair}"


def share_words(share: FairShare | None) -> str:
    """
    Return a fair share in a few words; empty where shares decide nothing (Kueue, spec 7.6).

    >>> share_words(FairShare(thousandths=200, resource="gpu")), share_words(FairShare())
    ('200 of gpu', '0')
    >>> share_words(FairShare(thousandths=None, weight=0, resource="gpu"))
    'highest: borrows gpu with weight 0'
    """
    if share is None:
        return ""
    value = share.thousandths
    if value is None:
        return f"highest: borrows {share.resource} with weight 0"
    return f"{value} of {share.resource}" if value else "0"


def listed(texts: Sequence[str]) -> str:
    """
    Return the first few of *texts*, and how many more there are.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    if len(texts) > _LISTED:
        return f"{', '.join(texts[:_LISTED])} and {len(texts) - _LISTED} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _borrow_words(queue: QueueSpec, settings: QuotaSettings) -> str:
    """Return which work *queue* stops in order to borrow (Kueue, spec 7.2 and 7.5)."""
    rules = queue.preemption
    if settings.fair_sharing:
        return "By fair share"
    if rules.borrow_within_cohort is PreemptionRule.NEVER:
        return "Never"
    most = rules.max_priority_threshold
    bound = "" if most is None else f", up to priority {most}"
    return f"{_FROM[rules.borrow_within_cohort].capitalize()}{bound}, of queues that borrow"


def _lends(usages: Iterable[CapacityNode]) -> str:
    owned = [usage for usage in usages if usage.guaranteed != 0]
    if not owned:
        return "None: no quota"
    limits = [(usage, usage.amount("lending_limit")) for usage in owned]
    return _limits(limits, "All unused quota", "None", "other quota without limit")


def _borrows(usages: Sequence[CapacityNode]) -> str:
    limits = [(usage, usage.amount("borrowing_limit")) for usage in usages]
    return _limits(limits, "All lendable quota", "None", "other quota without limit")


def _limits(
    limits: Sequence[tuple[CapacityNode, Amount]], everything: str, nothing: str, rest: str
) -> str:
    bounded = [
        f"{amount(limit, usage.resource)} on {usage.flavor}"
        for usage, limit in limits
        if not isinstance(limit, Unlimited)
    ]
    if not bounded:
        return everything
    if all(limit == 0 for _, limit in limits):
        return nothing
    words = f"Up to {listed(bounded)}"
    return words if len(bounded) == len(limits) else f"{words}; {rest}"


def _warning(
    member: MemberView, queue: QueueSpec, takers: Iterable[tuple[str, set[FlavorResource]]]
) -> str:
    """Say who may keep what *member* lends: *takers* are queues and what each may borrow."""
    if queue.preemption.reclaim_within_cohort is not PreemptionRule.NEVER:
        return ""
    lendable = {
        usage.key
        for usage in member.usages
        if usage.guaranteed != 0 and usage.amount("lending_limit") != 0
    }
    names = [name for name, keys in takers if name != member.name and not lendable.isdisjoint(keys)]
    if not names:
        return ""
    return f"Lends and never reclaims: {listed(names)} may keep its quota"
