"""Quota changes: the smallest raise of one number of a queue or cohort that starts a workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.binary_search import least, least_start, units_of
from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber
from console.engine.counterfactual.proof import Started
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.quota.ledger import Node
from console.engine.disciplines.quota.spec import (
    Cohort,
    FlavorQuotas,
    QueueSpec,
    Quota,
    spec_of,
    with_spec,
)
from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.model.policy import Policy

#: The most cells to try, and the most changes to suggest.
_MAX_TRIED, _MAX_SHOWN = 24, 4

#: If other workloads take the raised quota first: the most doublings of a raise, and the number of
#: steps of the following search.
_MAX_DOUBLINGS, _STEPS = 3, 16

_Owner = TypeVar("_Owner", QueueSpec, Cohort)


@dataclass(frozen=True, slots=True)
class _Cell:
    """One number of one node's quota."""

    node: Node
    key: FlavorResource
    number: QuotaNumber
    now: int
    #: The amount that is missing: a raise by this amount is tried first.
    missing: int
    #: The largest useful raise.
    most: int


def quota_changes(trials: Trials) -> Attempts:
    """
    Return the search for raises of one number each, those of its queue first.

    The numbers are nominal quotas and borrowing limits of its queue and of the cohorts above, and
    lending limits anywhere in the tree, for flavors that accept the workload.
    """
    attempts = (partial(_with_cell, trials, cell) for cell in _cells(trials))
    return Attempts(
        ChangeKind.QUOTA, attempts, most_tried=trials.most(_MAX_TRIED), most_found=_MAX_SHOWN
    )


def _with_cell(trials: Trials, cell: _Cell) -> Change | None:
    found = _least_raise(trials, cell)
    if found is None:
        return None
    raised, started = found
    quota = cell.node.quota(cell.key)
    return Change(
        kind=ChangeKind.QUOTA,
        subject="/".join(cell.key),
        from_=cell.now,
        to=cell.now + raised,
        queue=cell.node.name,
        number=cell.number,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
        origin=quota.origin or _owner(trials.policy, cell.node).origin,
    )


def with_quota(
    policy: Policy, node: Node, key: FlavorResource, number: QuotaNumber, amount: Amount
) -> Policy:
    """Return *policy* with one number of the quota of *node*, a queue or cohort, replaced."""
    if _is_queue(policy, node):
        changed = _owner_with(spec_of(policy).queues[node.name], key, number, amount)
        return with_spec(policy, queues={**spec_of(policy).queues, node.name: changed})
    cohort = _owner_with(spec_of(policy).cohorts[node.name], key, number, amount)
    return with_spec(policy, cohorts={**spec_of(policy).cohorts, node.name: cohort})


def _cells(trials: Trials) -> Iterator[_Cell]:
    own = trials.queue.account
    asked, short = trials.requests(), trials.short()
    tree = list(_below(own.root))
    for key, missing in short.items():
        potential = own.potential(key)
        beyond = asked[key] - potential if isinstance(potential, int) else 0
        most = max(missing, beyond, asked[key])
        on_path: Node | None = own
        path = []
        while on_path is not None:
            path.append(on_path)
            on_path = on_path.parent
        for node in path:
            if key not in node.quotas:
                continue
            yield from _cell(node, key, QuotaNumber.NOMINAL, missing, most)
            if node.parent is not None:
                yield from _cell(node, key, QuotaNumber.BORROWING_LIMIT, missing, most)
        for node in tree:
            if key in node.quotas and node.parent is not None and node not in path:
                yield from _cell(node, key, QuotaNumber.LENDING_LIMIT, missing, most)


def _cell(
    node: Node, key: FlavorResource, number: QuotaNumber, missing: int, most: int
) -> Iterator[_Cell]:
    now = getattr(node.quota(key), number.value)
    if isinstance(now, Unlimited):
        return
    if number is QuotaNumber.LENDING_LIMIT:
        # Only unused local quota can be lent in addition.
        kept = node.cell(key).local_available
        if isinstance(kept, int):
            most = min(most, kept)
    if most > 0:
        yield _Cell(node, key, number, now, min(missing, most), most)


def _least_raise(trials: Trials, cell: _Cell) -> tuple[int, Started] | None:
    if not _could_start(trials, cell, cell.most):
        return None
    unit = next(
        each for each in units_of(cell.most) if not (cell.missing % each or cell.now % each)
    )
    first = cell.missing if _could_start(trials, cell, cell.missing) else cell.most
    if first > unit and _could_start(trials, cell, first - unit):
        first = unit * least(0, first // unit - 1, lambda n: _could_start(trials, cell, n * unit))
    started = _starts(trials, cell, first)
    if started is not None:
        return first, started
    # Other workloads take the quota first: the raise has to suffice for them as well.
    return _enough_for_others(trials, cell, first, unit)


def _enough_for_others(
    trials: Trials, cell: _Cell, first: int, unit: int
) -> tuple[int, Started] | None:
    low, high = first, first * 2
    for _ in range(_MAX_DOUBLINGS):
        started = _starts(trials, cell, high)
        if started is not None:
            break
        low, high = high, high * 2
    else:
        return None
    # Exact to the unit only if that takes few proofs; others get part of the raise in any case.
    step = unit * max(1, (high - low) // unit // _STEPS)
    number, started = least_start(
        0, -(-(high - low) // step), started, lambda n: _starts(trials, cell, low + n * step)
    )
    return low + number * step, started


def _could_start(trials: Trials, cell: _Cell, raised: int) -> bool:
    return trials.could_start_under(_raised(trials, cell, raised))


def _starts(trials: Trials, cell: _Cell, raised: int) -> Started | None:
    return trials.starts(policy=_raised(trials, cell, raised))


def _raised(trials: Trials, cell: _Cell, raised: int) -> Policy:
    return with_quota(trials.policy, cell.node, cell.key, cell.number, cell.now + raised)


def _owner_with(owner: _Owner, key: FlavorResource, number: QuotaNumber, amount: Amount) -> _Owner:
    flavor, resource = key
    groups = []
    for group in owner.groups:
        entries = tuple(
            _entry_with(each, resource, number, amount) if each.flavor == flavor else each
            for each in group.flavors
        )
        groups.append(replace(group, flavors=entries))
    return replace(owner, groups=tuple(groups))


def _entry_with(
    entry: FlavorQuotas, resource: str, number: QuotaNumber, amount: Amount
) -> FlavorQuotas:
    quota = entry.quotas.get(resource)
    if quota is None:
        return entry
    changed = _with_number(quota, number, amount)
    return replace(entry, quotas={**entry.quotas, resource: changed})


def _with_number(quota: Quota, number: QuotaNumber, amount: Amount) -> Quota:
    match number:
        case QuotaNumber.NOMINAL:
            return replace(quota, nominal=amount)
        case QuotaNumber.BORROWING_LIMIT:
            return replace(quota, borrowing_limit=amount)
        case QuotaNumber.LENDING_LIMIT:
            return replace(quota, lending_limit=amount)
        case _:
            raise AssertionError(f"{number} belongs to another discipline")


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _below(child)


def _is_queue(policy: Policy, node: Node) -> bool:
    return not node.children and node.name in spec_of(policy).queues


def _owner(policy: Policy, node: Node) -> QueueSpec | Cohort:
    return (
        spec_of(policy).queues[node.name]
        if _is_queue(policy, node)
        else spec_of(policy).cohorts[node.name]
    )
