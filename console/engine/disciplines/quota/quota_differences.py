"""Quota differences of a queue or cohort: cell by cell, and in the order of flavors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TypeAlias

from console.engine.diff.values import Difference, FieldChange, Limit, OrderChange, QuotaChange
from console.engine.disciplines.quota.spec import FlavorQuotas, Quota, ResourceGroup
from console.engine.model.amounts import Amount

#: The quota of a cell without settings.
_DEFAULT = Quota()

Groups: TypeAlias = Sequence[ResourceGroup]
_Cell = tuple[str, str]


def quota_details(old: Groups, new: Groups) -> Iterator[Difference]:
    """Yield the differences between the resource groups of one node, whatever their positions."""
    if not old and not new:
        return
    before, after = _cells(old), _cells(new)
    for cell in dict.fromkeys((*after, *before)):
        yield from _cell_changes(cell, before.get(cell), after.get(cell))
    yield from _orders(old, new, before.keys(), after.keys())
    together, now_together = _shared_groups(old), _shared_groups(new)
    if together != now_together:
        yield FieldChange(path=("groups", "resources"), old=together, new=now_together)


def _cell_changes(cell: _Cell, before: Quota | None, after: Quota | None) -> Iterator[QuotaChange]:
    flavor, resource = cell
    for limit in Limit:
        old, new = _number(before, limit), _number(after, limit)
        if before is None or after is None:
            # An added or removed cell lists its nominal quota, and only limits that are set.
            if limit is not Limit.NOMINAL and _is_default(before or after, limit):
                continue
        elif old == new:
            continue
        yield QuotaChange(flavor=flavor, resource=resource, limit=limit, old=old, new=new)


def _number(quota: Quota | None, limit: Limit) -> Amount | None:
    found: Amount | None = getattr(quota, limit.value) if quota is not None else None
    return found


def _is_default(quota: Quota | None, limit: Limit) -> bool:
    return _number(quota, limit) == _number(_DEFAULT, limit)


def _cells(groups: Groups) -> dict[_Cell, Quota]:
    return {
        (entry.flavor, resource): quota
        for group in groups
        for entry in group.flavors
        for resource, quota in entry.quotas.items()
    }


def _orders(
    old: Groups, new: Groups, before: AbstractSet[_Cell], after: AbstractSet[_Cell]
) -> Iterator[OrderChange]:
    """Yield each group with a change in the order of flavors that its cells do not imply."""
    known = {resource: _names(group.flavors) for group in old for resource in group.resources}
    gone, come = before - after, after - before
    for group in new:
        now = _names(group.flavors)
        changed: dict[tuple[str, ...], list[str]] = {}
        for resource in group.resources:
            was = known.get(resource, ())
            # Expected are the old flavors without removed cells, and the added ones at the end.
            kept = [name for name in was if (name, resource) not in gone]
            added = [name for name in now if (name, resource) in come]
            if [*kept, *added] != list(now):
                changed.setdefault(was, []).append(resource)
        for was, resources in changed.items():
            yield OrderChange(resources=tuple(resources), old=was, new=now)


def _names(flavors: Sequence[FlavorQuotas]) -> tuple[str, ...]:
    return tuple(entry.flavor for entry in flavors)


def _shared_groups(groups: Groups) -> list[list[str]]:
    return sorted(sorted(group.resources) for group in groups if len(group.resources) > 1)


def quota_numbers(groups: Groups) -> Mapping[tuple[str, ...], object]:
    """
    Return the numbers of *groups* by flavor, resource and limit.

    Limits with their default value are left out.
    """
    return {
        (flavor, resource, limit.value): _number(quota, limit)
        for (flavor, resource), quota in _cells(groups).items()
        for limit in Limit
        if limit is Limit.NOMINAL or not _is_default(quota, limit)
    }


def rename_flavors(groups: Groups, names: Mapping[str, str]) -> Groups:
    """Return *groups* with newer *names* of flavors, by older ones."""
    if not any(entry.flavor in names for group in groups for entry in group.flavors):
        return groups
    return tuple(
        replace(
            group,
            flavors=tuple(
                replace(entry, flavor=names.get(entry.flavor, entry.flavor))
                for entry in group.flavors
            ),
        )
        for group in groups
    )
