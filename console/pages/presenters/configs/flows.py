"""Text for flows: workloads that would match another rule, with counts of recorded ones."""

from __future__ import annotations

from collections.abc import Sequence

from console.engine.diff import Change, ChangeKind, Flow, Flows
from console.engine.model.policy import Policy
from console.engine.routing.regions import Priorities, Region, Values
from console.engine.routing.rule_routing import rules_of
from console.engine.wording.words import cut, expression, plural

#: Maximum number of listed flows of one rule.
_MOST_FLOWS = 20


def flows_by_change(
    changes: Sequence[Change], flows: Flows, old: Policy, new: Policy
) -> dict[int, list[str]]:
    """
    Return sentences about flows, by the `id` of the change with which they are listed.

    That is the change of the rule that gains the workloads, else of the rule that loses them.
    """
    gaining: dict[int, Change] = {}
    losing: dict[int, Change] = {}
    for change in changes:
        if change.noun == flows.kind:
            if change.kind is not ChangeKind.REMOVED:
                gaining[place_of(change.name) - 1] = change
            if change.kind is not ChangeKind.ADDED:
                losing[place_of(change.old_name or change.name) - 1] = change
    sentences: dict[int, list[str]] = {}
    for flow in flows.flows:
        gaining_rule = gaining.get(flow.new) if flow.new is not None else None
        losing_rule = losing.get(flow.old) if flow.old is not None else None
        listed_with = gaining_rule or losing_rule
        if listed_with is not None:
            text = _flow(flow, flows, old, new, is_gain=gaining_rule is not None)
            sentences.setdefault(id(listed_with), []).append(text)
    return {key: _cut(texts) for key, texts in sentences.items()}


def recorded(runs: int, flows: Flows) -> str:
    """Return the number of recorded workloads; "at least" if only a part was evaluated."""
    return f"{'' if flows.is_history_whole else 'at least '}{plural(runs, 'workload')}"


def place_of(name: str) -> int:
    """
    Return the position of a rule, counted from 1, from its *name* in a change.

    >>> place_of("0 to research")
    1
    """
    return int(name.partition(" ")[0]) + 1


def region_words(region: Region) -> str:
    """
    Return a description of the workloads in *region*.

    >>> region_words(Region({"team": Values(frozenset({"ml"}), False, False)}))
    'team is ml'
    """
    parts = [
        _values(key, values) for key, values in region.labels.items() if not values.is_anything
    ]
    if not region.priorities.is_anything:
        parts.append(_priorities(region.priorities))
    return cut(parts) or "everything"


def _cut(texts: list[str]) -> list[str]:
    more = len(texts) - _MOST_FLOWS
    if more <= 0:
        return texts
    return [*texts[:_MOST_FLOWS], f"And {plural(more, 'more rule')}."]


def _flow(flow: Flow, flows: Flows, old: Policy, new: Policy, *, is_gain: bool) -> str:
    if flow.new is None:
        text = "Its workloads would match no rule and be rejected"
    elif is_gain:
        before = "that matched no rule" if flow.old is None else f"of {_rule(old, flow.old)}"
        text = f"Would match workloads {before}"
    else:
        text = f"Its workloads would match {_rule(new, flow.new)}"
    where = ""
    if flow.where is not None:
        where = f" where {region_words(flow.where)}"
        where += "" if flow.is_whole else ", and more"
    seen = ""
    if flows.window_days:
        seen = f": {recorded(flow.runs, flows)} in the last {flows.window_days} days"
    return f"{text}{where}{seen}."


def _rule(policy: Policy, index: int) -> str:
    return f"rule {index + 1} to {rules_of(policy)[index].queue}"


def _values(key: str, values: Values) -> str:
    names = sorted(values.listed)
    if not values.is_all_but:
        if not names:
            return f"no label {key}"
        text = f"{key} is {names[0]}" if len(names) == 1 else expression(key, "in", names)
        return f"{text} or absent" if values.may_be_absent else text
    if not names:
        return f"{key} exists"
    excluded = expression(key, "not_in", names)
    return excluded if values.may_be_absent else f"{key} exists, {excluded}"


def _priorities(priorities: Priorities) -> str:
    low, high = priorities.low, priorities.high
    if low is not None and high is not None and low > high:
        return "no priority requested"
    if low is None and high is None:
        return "a priority requested"
    if low is None:
        text = f"priority up to {high}"
    elif high is None:
        text = f"priority from {low}"
    else:
        text = f"priority {low}" if low == high else f"priority {low} to {high}"
    return f"{text} or none" if priorities.may_be_absent else text
