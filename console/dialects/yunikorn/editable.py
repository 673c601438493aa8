"""The numbers of queues of YuniKorn that a form may change, also in a ConfigMap."""

from __future__ import annotations

from typing import Final

from console.dialects.codes import NEGATIVE
from console.dialects.editable_numbers import (
    NumberCollector,
    NumberFields,
    NumberKey,
    Numbers,
    ObjectKey,
)
from console.dialects.findings import Findings
from console.dialects.numbers import NumberProblem, read_int64
from console.dialects.source import Source
from console.dialects.wording import quote
from console.dialects.yunikorn.checks import partition_name
from console.dialects.yunikorn.quantities import QuantityProblem, read_quantity
from console.dialects.yunikorn.reading import examine
from console.dialects.yunikorn.schema import QueueDoc
from console.engine.diff.objects import QUEUE
from console.engine.disciplines.hierarchy.spec import Partition

_APPLICATIONS: Final = "maxapplications"


def _find(source: Source) -> Numbers:
    found = NumberCollector(source.positions)
    # Examining a source adds to it, so that this is another one with the same nodes.
    examined = examine(Source(Findings(source.positions), source.roots))
    for doc in examined.document.partitions if examined else ():
        if doc.root is not None:
            _add(found, doc.root, Partition(name=partition_name(doc)), "")
    return found.numbers()


def _add(found: NumberCollector, queue: QueueDoc, partition: Partition, above: str) -> None:
    path = f"{above}{queue.name.lower()}"
    owner = ObjectKey(QUEUE, partition.full_name(path))
    for field, title, texts in (
        ("guaranteed", "Guaranteed", queue.guaranteed),
        ("max", "Maximum", queue.maximum),
    ):
        for resource, text in texts.value if texts else ():
            found.add(owner, NumberKey(field, "", resource.value), title, text)
    applications = NumberKey(_APPLICATIONS, "", "")
    found.add(owner, applications, "Maximum of running applications", queue.applications)
    for child in queue.queues:
        _add(found, child, partition, f"{path}.")


def _check(key: NumberKey, text: str, plain: bool) -> NumberProblem | None:
    if key.field == _APPLICATIONS:
        count = read_int64(text, plain=plain)
        if isinstance(count, NumberProblem):
            return count
        negative = NumberProblem(NEGATIVE, f"{text} is negative; it must be 0 or more")
        return negative if count < 0 else None
    amount = read_quantity(text, key.resource)
    if isinstance(amount, QuantityProblem):
        return NumberProblem(amount.code, f"{quote(text)} {amount.message}", amount.hint)
    return None


NUMBER_FIELDS = NumberFields(find=_find, check=_check)
