"""Queue specs across versions: canonical specs, and the check against past ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.dialects.base import PastSpec
from console.dialects.findings import Edit, Findings, Repair
from console.dialects.native.codes import SPEC_CHANGED
from console.dialects.native.objects import versioned_name
from console.dialects.native.schema import Document, GroupDoc, QueueDoc, QuotaDoc
from console.dialects.scalars import write_text
from console.dialects.wording import shorten
from console.dialects.written import Read, Written, value_of, written_items
from console.engine.disciplines.quota.spec import PreemptionRule
from console.engine.model.amounts import format_amount

#: Maximum number of differences in a message; the remaining ones are counted.
_NAMED: Final = 4


def queue_specs(document: Document, findings: Findings) -> dict[str, dict[str, Any]]:
    """Return the canonical spec of every queue without errors, by name."""
    errors = findings.error_offsets()
    specs: dict[str, dict[str, Any]] = {}
    for queue in document.queues:
        first = bisect_left(errors, queue.place.start)
        has_error = first < len(errors) and errors[first] <= queue.place.end
        if isinstance(queue.name, Written) and not has_error:
            specs[queue.name.value] = canonical_spec(queue)
    return specs


def canonical_spec(queue: QueueDoc) -> dict[str, Any]:
    """
    Return the immutable fields of a queue as plain JSON values.

    Texts with the same meaning have equal specs: defaults are written out, unlimited quotas are
    omitted, amounts are plain decimal texts, and values without an order are sorted.
    """
    preemption = queue.preemption
    never = PreemptionRule.NEVER.value
    return {
        "cohort_name": value_of(queue.cohort_name),
        "preemption": {
            "within_resource_queue": never,
            "reclaim_within_cohort": never,
            "borrow_within_cohort": never,
        }
        | (
            {}
            if preemption is None
            else {
                key: setting.value.value
                for key, setting in (
                    ("within_resource_queue", preemption.within_resource_queue),
                    ("reclaim_within_cohort", preemption.reclaim_within_cohort),
                    ("borrow_within_cohort", preemption.borrow_within_cohort),
                )
                if isinstance(setting, Written)
            }
        ),
        "resource_groups": [_group(group) for group in queue.groups],
    }


def _group(group: GroupDoc) -> dict[str, Any]:
    return {
        "covered_resources": sorted(item.value for item in written_items(group.covered_resources)),
        "flavors": [
            {"name": value_of(quota.name), "resources": _resources(quota)}
            for quota in group.flavors
        ],
    }


def _resources(quota: QuotaDoc) -> dict[str, dict[str, str]]:
    resources: dict[str, dict[str, str]] = {}
    for resource in quota.resources:
        limits: dict[str, Read[int]] = {
            "nominal_quota": resource.nominal_quota,
            "borrowing_limit": resource.borrowing_limit,
            "lending_limit": resource.lending_limit,
        }
        written = {
            key: format_amount(limit.value)
            for key, limit in limits.items()
            if isinstance(limit, Written)
        }
        # A listed resource without quota and limits is unlimited, like one that is not listed.
        if written and isinstance(resource.name, Written):
            resources[resource.name.value] = written
    return dict(sorted(resources.items()))


def check_specs(
    document: Document,
    specs: Mapping[str, Mapping[str, Any]],
    past: Mapping[str, PastSpec],
    findings: Findings,
) -> None:
    """Report every queue whose spec differs from the one that *past* has for its name."""
    for queue in document.queues:
        name = queue.name
        if not isinstance(name, Written) or name.value not in past or name.value not in specs:
            continue
        fixed, spec = past[name.value], specs[name.value]
        if fixed.spec == spec:
            continue
        changes = list(_differences(fixed.spec, spec, ""))
        more = f" and {len(changes) - _NAMED} more" if len(changes) > _NAMED else ""
        new_name = _free_name(name.value, document, past)
        findings.add(
            SPEC_CHANGED,
            name.place,
            f'Queue "{shorten(name.value)}" cannot be changed after version {fixed.version}: '
            f"{'; '.join(changes[:_NAMED])}{more}.",
            f'Give the changed queue a new name, such as "{shorten(new_name)}"; running '
            "workloads of the old one continue under its name until they end.",
            (_rename(document, name, new_name),),
            scope=queue.place,
        )


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            yield from _differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, f"{path}[{index}]")
    elif old != new:
        yield f"{path} was {_shown(old)}, now {_shown(new)}"


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    if isinstance(value, list):
        names = [
            item["name"] if isinstance(item, dict) and "name" in item else item for item in value
        ]
        if all(isinstance(name, str) for name in names):
            return f"[{shorten(', '.join(names))}]"
        return f"{len(value)} item{'s' if len(value) != 1 else ''}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_shown(item)}' for key, item in value.items())}}}"
    return str(value)


def _free_name(name: str, document: Document, past: Mapping[str, PastSpec]) -> str:
    """
    Return the next versioned name that is neither in the document nor in the past.

    ``team-a`` becomes ``team-a:v2``, and ``team-a:v2`` becomes ``team-a:v3``.
    """
    taken = {value_of(queue.name) for queue in document.queues}
    stem, number = versioned_name(name)
    number += 1
    while (candidate := f"{stem}:v{number}") in taken or candidate in past:
        number += 1
    return candidate


def _rename(document: Document, name: Written[str], new_name: str) -> Repair:
    text = write_text(new_name)
    places = {name.place.start: name.place}
    for rule in document.rules:
        if isinstance(rule.resource_queue, Written) and rule.resource_queue.value == name.value:
            places[rule.resource_queue.place.start] = rule.resource_queue.place
    edits = tuple(Edit(place.start, place.end, text) for place in places.values())
    return Repair(f'Make successor "{shorten(new_name)}", in the rules too', edits)
