"""The numbers of ClusterQueues and Cohorts that a form may change."""

from __future__ import annotations

from console.dialects.editable_numbers import (
    COHORT,
    Absent,
    NumberCollector,
    NumberFields,
    NumberKey,
    Numbers,
    ObjectKey,
    last_place,
)
from console.dialects.findings import Findings
from console.dialects.kueue.parse import parse
from console.dialects.kueue.schema import CohortDoc, GroupDoc, QueueDoc
from console.dialects.kueue.values import read_quantity
from console.dialects.numbers import NumberProblem
from console.dialects.source import Source
from console.dialects.written import Written, value_of
from console.engine.diff.objects import QUEUE


def _find(source: Source) -> Numbers:
    found = NumberCollector(source.positions)
    document = parse(source.roots, Findings(source.positions))
    for queue in document.queues:
        _add(found, QUEUE, queue)
    for cohort in document.cohorts:
        _add(found, COHORT, cohort)
    return found.numbers()


def _add(found: NumberCollector, kind: str, owner: QueueDoc | CohortDoc) -> None:
    key = ObjectKey(kind, value_of(owner.name) or "")
    read = owner.resource_groups
    groups: tuple[GroupDoc, ...] = read.value if isinstance(read, Written) else ()
    for quota in (each for group in groups for each in group.quotas()):
        for resource in quota.each():
            names = value_of(quota.name) or "", value_of(resource.name) or ""
            beside = last_place(
                resource.name, resource.nominal, resource.borrowing, resource.lending
            )
            for field, title, value in (
                ("nominalQuota", "Nominal quota", resource.nominal),
                ("borrowingLimit", "Borrowing limit", resource.borrowing),
                ("lendingLimit", "Lending limit", resource.lending),
            ):
                absent = Absent(resource.place, field, beside) if beside else None
                found.add(key, NumberKey(field, *names), title, value, absent=absent)


def _check(key: NumberKey, text: str, plain: bool) -> NumberProblem | None:
    quantity = read_quantity(text, plain=plain)
    return quantity if isinstance(quantity, NumberProblem) else None


NUMBER_FIELDS = NumberFields(
    find=_find, check=_check, sharing=frozenset({"borrowingLimit", "lendingLimit"})
)
