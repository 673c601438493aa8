"""Checks between the fields and objects of a text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from console.dialects.findings import Findings, Place
from console.dialects.kai.codes import (
    CHILDREN_OVER_PARENT,
    DUPLICATE_OBJECT,
    MEMORY_UNIT,
    NOTHING_MAY_USE,
    PARENT_CYCLE,
    PARENT_MISSING,
    QUOTA_OVER_LIMIT,
    REPEATED_DEFAULT,
    RESOURCE_MISSING,
    SMALL_CPU,
    WEIGHT_MISSING,
)
from console.dialects.kai.insertions import add_fields
from console.dialects.kai.numbers import UNITS, bound_text
from console.dialects.kai.schema import Document, QueueDoc, ResourceDoc
from console.dialects.repairs import did_you_mean, remove_field, replace
from console.dialects.repeated import note_repeated
from console.dialects.wording import listed, shorten
from console.dialects.written import Read, Unread, Written, value_of
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited

#: CPU below this, in thousandths of a core, is probably meant as cores.
_FEW_MILLICORES: Final = 100
_MB: Final = 10**9
#: Memory below this is probably meant as GB, and above the other as bytes.
_LITTLE_MEMORY: Final = 100 * _MB
_MUCH_MEMORY: Final = 10**8 * _MB


def check(document: Document, findings: Findings) -> None:
    """Report errors and probable mistakes between the objects of *document*."""
    for kind, names in (
        ("Queue", [each.name for each in document.queues]),
        ("PriorityClass", [each.name for each in document.priority_classes]),
        ("Node", [each.name for each in document.nodes]),
    ):
        _check_names(kind, names, findings)
    for place in [each.default for each in document.priority_classes if each.default][1:]:
        findings.add(
            REPEATED_DEFAULT,
            place,
            "Another PriorityClass has globalDefault: true.",
            "Remove it from one of them.",
            (remove_field(findings, place, "globalDefault"),),
        )
    for extra in document.shards[1:]:
        findings.add(
            DUPLICATE_OBJECT,
            extra.place._replace(end=extra.place.start),
            "A second SchedulingShard begins here; a config has at most one.",
            "Remove one of them.",
        )
    queues: dict[str, QueueDoc] = {}
    for queue in document.queues:
        if isinstance(queue.name, Written):
            queues.setdefault(queue.name.value, queue)
    _check_tree(queues, findings)
    for name, queue in queues.items():
        _check_resources(name, queue, findings)


def _check_names(kind: str, names: Iterable[Read[str]], findings: Findings) -> None:
    written = [name for name in names if isinstance(name, Written)]
    note_repeated(findings, DUPLICATE_OBJECT, written, kind)


def _check_tree(queues: Mapping[str, QueueDoc], findings: Findings) -> None:
    children: defaultdict[str, list[QueueDoc]] = defaultdict(list)
    in_cycle = _cycles(queues)
    for name, queue in queues.items():
        parent = queue.parent
        if not isinstance(parent, Written):
            continue
        children[parent.value].append(queue)
        if name in in_cycle:
            _note_cycle(name, parent, findings)
        elif parent.value not in queues:
            _note_missing(name, parent, queues, findings)
    for name, below in children.items():
        if name in queues and name not in in_cycle:
            for resource in RESOURCES:
                _check_children(name, queues[name], below, resource, findings)


def _cycles(queues: Mapping[str, QueueDoc]) -> set[str]:
    """Return the queues that are above themselves."""
    found: set[str] = set()
    done: set[str] = set()
    for start in queues:
        path: dict[str, int] = {}
        name: str | None = start
        while name is not None and name in queues and name not in done and name not in path:
            path[name] = len(path)
            name = value_of(queues[name].parent)
        if name is not None and name in path:
            found.update(list(path)[path[name] :])
        done.update(path)
    return found


def _note_cycle(name: str, parent: Written[str], findings: Findings) -> None:
    itself = parent.value == name
    findings.add(
        PARENT_CYCLE,
        parent.place,
        f'Queue "{shorten(name)}" is its own parent.'
        if itself
        else f'Queue "{shorten(name)}" is below itself: its parent "{shorten(parent.value)}" is '
        "also below it.",
        "Remove parentQueue, or name another queue.",
        (remove_field(findings, parent.place, "parentQueue"),),
    )


def _note_missing(
    name: str, parent: Written[str], queues: Mapping[str, QueueDoc], findings: Findings
) -> None:
    others = [each for each in queues if each != name]
    hint, repairs = did_you_mean(findings, parent.place, parent.value, others)
    findings.add(
        PARENT_MISSING,
        parent.place,
        f'The config has no queue "{shorten(parent.value)}", so "{shorten(name)}" and all queues '
        "below it run nothing.",
        hint or "Add the queue, or remove parentQueue.",
        repairs,
    )


def _check_children(
    name: str, parent: QueueDoc, below: Sequence[QueueDoc], resource: str, findings: Findings
) -> None:
    """Report quotas of children that exceed the quota of their parent."""
    own = parent.resources.get(resource)
    quota = own.quota if own is not None else None
    amount: Amount = value_of(quota) or 0
    if (
        isinstance(quota, Unread)
        or isinstance(amount, Unlimited)
        or (own is None and resource in parent.resources)
    ):
        return
    total: Amount = 0
    for child in below:
        each = child.resources.get(resource)
        if each is not None:
            total = total + (value_of(each.quota) or 0)
    if total <= amount:
        return
    place = quota.place if isinstance(quota, Written) else None
    if place is None and isinstance(parent.name, Written):
        place = parent.name.place
    if place is None:
        return
    shown = "unlimited" if total is UNLIMITED else bound_text(total, resource)
    repairs = (
        (replace(place, bound_text(total, resource), number=True),)
        if isinstance(quota, Written)
        else ()
    )
    findings.add(
        CHILDREN_OVER_PARENT,
        place,
        f'The quotas of {resource} below queue "{shorten(name)}" are {shown} together, and its own '
        f"is {bound_text(amount, resource)}.",
        "Raise the quota of the parent, or lower those of its children.",
        repairs,
    )


def _check_resources(name: str, queue: QueueDoc, findings: Findings) -> None:
    if queue.resources_place is None:
        return
    missing = [resource for resource in RESOURCES if resource not in queue.resources]
    if missing:
        _note_absent(name, missing, queue.resources_place, findings)
    for resource, own in queue.resources.items():
        if own is not None:
            _check_resource(name, resource, own, findings)


def _note_absent(name: str, missing: Sequence[str], place: Place, findings: Findings) -> None:
    names = listed(missing, "and")
    fields = {each: {"quota": 0, "overQuotaWeight": 1, "limit": -1} for each in missing}
    findings.add(
        RESOURCE_MISSING,
        place._replace(end=place.start),
        f'Queue "{shorten(name)}" does not state {names}, so no workload that requests '
        f"{listed(missing, 'or')} can start in it.",
        "Add the resource with its limit; -1 is unlimited.",
        add_fields(findings, place, fields, f"Add {names} without limit"),
    )


def _check_resource(name: str, resource: str, own: ResourceDoc, findings: Findings) -> None:
    quota, limit = own.quota, own.limit
    for each in (quota, limit):
        if isinstance(each, Written):
            _check_unit(resource, each, findings)
    if isinstance(quota, Written) and quota.value and limit is None:
        findings.add(
            NOTHING_MAY_USE,
            quota.place,
            f'Nothing may use {resource} in queue "{shorten(name)}": it has a quota and no limit, '
            "and KAI takes an absent limit for 0.",
            "Add limit: -1 for no limit.",
            add_fields(findings, own.place, {"limit": -1}, "Add limit: -1"),
        )
    if isinstance(quota, Written) and isinstance(limit, Written) and limit.value < quota.value:
        _note_over_limit(resource, quota, limit, findings)
    _check_weight(name, resource, own, findings)


def _note_over_limit(
    resource: str, quota: Written[Amount], limit: Written[Amount], findings: Findings
) -> None:
    if quota.value is UNLIMITED:
        # An unlimited quota below a limit guarantees all that the limit allows.
        return
    of = {key: bound_text(each.value, resource) for key, each in (("q", quota), ("l", limit))}
    findings.add(
        QUOTA_OVER_LIMIT,
        quota.place,
        f"The quota of {resource}, {of['q']}, is above its limit, {of['l']}.",
        "Raise the limit, or lower the quota.",
        (
            replace(quota.place, of["l"], number=True),
            replace(limit.place, of["q"], number=True),
        ),
    )


def _check_weight(name: str, resource: str, own: ResourceDoc, findings: Findings) -> None:
    """Report a queue that may use more than its quota, and whose fair share ends there."""
    if own.weight is not None or isinstance(own.quota, Unread) or isinstance(own.limit, Unread):
        return
    quota, limit = value_of(own.quota) or 0, value_of(own.limit)
    if limit is None or limit <= quota:
        return
    place = own.limit.place if isinstance(own.limit, Written) else own.place
    findings.add(
        WEIGHT_MISSING,
        place,
        f'Queue "{shorten(name)}" may use more {resource} than its quota, and has no '
        "overQuotaWeight: others may reclaim all of it.",
        "Add overQuotaWeight.",
        add_fields(findings, own.place, {"overQuotaWeight": 1}, "Add overQuotaWeight: 1"),
    )


def _check_unit(resource: str, bound: Written[Amount], findings: Findings) -> None:
    """Report a number that is probably meant in another unit."""
    amount = bound.value
    if isinstance(amount, Unlimited) or not amount:
        return
    shown = bound_text(amount, resource)
    if resource == RESOURCES.cpu and amount < _FEW_MILLICORES:
        code, meant, words = SMALL_CPU, amount * 1000, "cores"
    elif resource == RESOURCES.memory and amount < _LITTLE_MEMORY:
        code, meant, words = MEMORY_UNIT, amount * 1000, "GB"
    elif resource == RESOURCES.memory and amount >= _MUCH_MEMORY:
        code, meant, words = MEMORY_UNIT, -(-amount // 10**12) * 10**6, "bytes"
    else:
        return
    instead = bound_text(meant, resource)
    findings.add(
        code,
        bound.place,
        f"{shown} is read as {shown} {UNITS[resource]}.",
        f"For {shown} {words}, write {instead}.",
        (replace(bound.place, instead, number=True),),
    )
