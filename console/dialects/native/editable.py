"""The numbers of queues of a native config that a form may change."""

from __future__ import annotations

from console.dialects.editable_numbers import (
    Absent,
    NumberCollector,
    NumberFields,
    NumberKey,
    Numbers,
    ObjectKey,
    last_place,
)
from console.dialects.findings import Findings
from console.dialects.native.parse import parse
from console.dialects.numbers import NumberProblem, read_amount
from console.dialects.source import Source
from console.dialects.written import value_of
from console.engine.diff.objects import QUEUE


def _find(source: Source) -> Numbers:
    found = NumberCollector(source.positions)
    document = parse(source.roots[0], Findings(source.positions))
    for queue in document.queues:
        owner = ObjectKey(QUEUE, value_of(queue.name) or "")
        for quota in queue.quotas():
            for resource in quota.resources:
                names = value_of(quota.name) or "", value_of(resource.name) or ""
                beside = last_place(
                    resource.name,
                    resource.nominal_quota,
                    resource.borrowing_limit,
                    resource.lending_limit,
                )
                for field, title, value in (
                    ("nominal_quota", "Nominal quota", resource.nominal_quota),
                    ("borrowing_limit", "Borrowing limit", resource.borrowing_limit),
                    ("lending_limit", "Lending limit", resource.lending_limit),
                ):
                    absent = Absent(resource.place, field, beside) if beside else None
                    found.add(owner, NumberKey(field, *names), title, value, absent=absent)
    return found.numbers()


def _check(key: NumberKey, text: str, plain: bool) -> NumberProblem | None:
    amount = read_amount(text, plain=plain)
    return amount if isinstance(amount, NumberProblem) else None


NUMBER_FIELDS = NumberFields(
    find=_find, check=_check, sharing=frozenset({"borrowing_limit", "lending_limit"})
)
