"""What other numbers of a queue would do: outcomes of workloads, and the resource that limits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from console.configs.services.preview_impact import NAMED, ImpactPreview
from console.engine.impact.binding import ResourceBalance
from console.engine.wording.words import amount, listed, quantity, resource_name, sentence_case
from console.pages.presenters.impact.live import OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeLine:
    """The workloads with the same outcome: their number, and the first of them."""

    title: str
    count: int
    #: Id and name of each.
    first: Sequence[tuple[str, str]]
    #: The number of the others.
    more: int


def outcome_lines(preview: ImpactPreview) -> tuple[OutcomeLine, ...]:
    """Return the outcomes for running and pending workloads, those with losses first."""
    groups = preview.impact.groups
    lines = []
    for outcome, (title, _) in OUTCOMES.items():
        group = groups.get(outcome)
        if group is None:
            continue
        # A workload that was deleted meanwhile has no name.
        ids = [each.workload for each in group.first[:NAMED] if each.workload in preview.names]
        first = [(uid, preview.names[uid]) for uid in ids]
        lines.append(
            OutcomeLine(title=title, count=group.count, first=first, more=group.count - len(first))
        )
    return tuple(lines)


def limits_sentence(balances: Sequence[ResourceBalance], changed: Collection[str]) -> str:
    """
    Return a sentence on the resources that limit the queue afterwards; empty: none does.

    *changed* are the resources with other numbers. What stays available of them is stated,
    because pending workloads cannot use it.
    """
    full = [each for each in balances if each.binds]
    if not full:
        return ""
    limits = listed(_limit(each) for each in full)
    idle = [
        amount(each.available, each.resource)
        for each in balances
        if each.resource in changed and not each.binds and each.available
    ]
    if not idle:
        return f"{sentence_case(limits)}."
    return f"{sentence_case(listed(idle))} would stay idle: {limits}."


def _limit(balance: ResourceBalance) -> str:
    """Return for example: CPU is full at 512, and 96 more are requested."""
    resource, available = balance.resource, balance.available
    assert isinstance(available, int), "an unlimited resource does not bind"
    lacking = quantity(balance.demand - available, resource)
    if not available:
        entitled = quantity(balance.entitled, resource)
        return f"{resource_name(resource)} is full at {entitled} ({lacking} more requested)"
    left = f"{quantity(available, resource)} of {amount(balance.entitled, resource)}"
    return f"{left} are left ({lacking} more requested)"
