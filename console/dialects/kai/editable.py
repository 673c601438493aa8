"""The numbers of queues of KAI that a form may change."""

from __future__ import annotations

from typing import Any, Final

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
from console.dialects.kai.numbers import UNITS, read_bound, read_weight
from console.dialects.kai.parse import parse
from console.dialects.numbers import NumberProblem
from console.dialects.source import Source
from console.dialects.written import Read, value_of
from console.engine.diff.objects import QUEUE

_WEIGHT: Final = "overQuotaWeight"


def _find(source: Source) -> Numbers:
    found = NumberCollector(source.positions)
    for queue in parse(source.roots, Findings(source.positions)).queues:
        owner = ObjectKey(QUEUE, value_of(queue.name) or "")
        for resource, numbers in queue.resources.items():
            if numbers is None:
                continue
            unit = UNITS[resource]
            quota, weight, limit = (
                NumberKey(field, "", resource) for field in ("quota", _WEIGHT, "limit")
            )
            beside = last_place(numbers.quota, numbers.weight, numbers.limit)
            written: tuple[tuple[NumberKey, str, Read[Any]], ...] = (
                (quota, "Quota", numbers.quota),
                (limit, "Limit", numbers.limit),
                (weight, "Over-quota weight", numbers.weight),
            )
            for key, title, value in written:
                absent = Absent(numbers.place, key.field, beside) if beside else None
                of = "" if key == weight else unit
                found.add(owner, key, title, value, unit=of, absent=absent)
    return found.numbers()


def _check(key: NumberKey, text: str, plain: bool) -> NumberProblem | None:
    if key.field == _WEIGHT:
        weight = read_weight(text, plain=plain)
        return weight if isinstance(weight, NumberProblem) else None
    bound = read_bound(text, key.resource, plain=plain)
    return bound if isinstance(bound, NumberProblem) else None


NUMBER_FIELDS = NumberFields(find=_find, check=_check)
