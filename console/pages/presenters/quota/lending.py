"""Text for sharing in a cohort: reclaim, lending and borrowing rules, and starved queues."""

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

#: Maximum number of listed limits or names in a cell.
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
    """The rules by which one queue reclaims, lends and borrows quota in its cohort."""

    name: str
    reclaims: str
    preempts_to_borrow: str
    lends: str
    borrows: str
    #: Warning about lent quota that is never reclaimed; or empty.
    warning: str
    #: Position of the rules in the config.
    origin: Origin | None
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StarvedNotice:
    """A queue whose workloads wait for its own lent quota."""

    queue: str
    text: str
    back: str
    key: str


def rules_rows(
    members: Iterable[MemberView], all_members: Sequence[MemberView], policy: Policy
) -> tuple[RulesRow, ...]:
    """Return the sharing rules of the queues in *members*; *all_members* are all members."""
    borrowers = [
        (each.name, {usage.key for usage in each.usages if usage.limit > usage.guaranteed})
        for each in all_members
        if each.queue is not None
    ]
    spec = spec_of(policy)
    described = [(each, spec.queues[each.name]) for each in members if each.queue is not None]
    return tuple(
        RulesRow(
            name=member.name,
            reclaims=reclaim_words(queue, spec.settings),
            preempts_to_borrow=_borrow_words(queue, spec.settings),
            lends=_lends(member.usages),
            borrows=_borrows(member.usages),
            warning=_warning(member, queue, borrowers),
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
    """Return the position of the preemption rules of *queue* in the config, else of the queue."""
    return queue.preemption.origin or queue.origin


def reclaim_words(queue: QueueSpec, settings: QuotaSettings) -> str:
    """
    Return the text of the workloads from which *queue* reclaims its quota (Kueue, spec 7.2).

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
    Return the text of a fair share; empty if fair sharing is off (Kueue, spec 7.6).

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
    Return the first few of *texts* and the number of others.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    if len(texts) > _LISTED:
        return f"{', '.join(texts[:_LISTED])} and {len(texts) - _LISTED} more"
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _borrow_words(queue: QueueSpec, settings: QuotaSettings) -> str:
    """Return the text of the workloads that *queue* preempts to borrow (Kueue, spec 7.2, 7.5)."""
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
    member: MemberView, queue: QueueSpec, borrowers: Iterable[tuple[str, set[FlavorResource]]]
) -> str:
    """
    Return a warning if *member* lends quota and never reclaims it, or empty.

    *borrowers* are the queues with the flavor-resources that they can borrow.
    """
    if queue.preemption.reclaim_within_cohort is not PreemptionRule.NEVER:
        return ""
    lendable = {
        usage.key
        for usage in member.usages
        if usage.guaranteed != 0 and usage.amount("lending_limit") != 0
    }
    names = [
        name for name, keys in borrowers if name != member.name and not lendable.isdisjoint(keys)
    ]
    if not names:
        return ""
    return f"Lends and never reclaims: {listed(names)} may keep its quota"
