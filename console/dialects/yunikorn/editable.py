"""The numbers of queues of YuniKorn that a form may change, also in a ConfigMap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from console.dialects.codes import NEGATIVE
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
    partitions = examined.document.partitions if examined else ()
    names = tuple(
        dict.fromkeys(
            resource.value
            for doc in partitions
            for queue in (doc.root.below() if doc.root is not None else ())
            for texts in (queue.guaranteed, queue.maximum)
            for resource, _ in (texts.value if texts else ())
        )
    )
    for doc in partitions:
        if doc.root is not None:
            _add(found, doc.root, Partition(name=partition_name(doc)), "", names)
    return found.numbers()


def _add(
    found: NumberCollector,
    queue: QueueDoc,
    partition: Partition,
    above: str,
    names: Sequence[str],
) -> None:
    """Add the numbers of *queue* and those below it; *names* are all resources of the text."""
    path = f"{above}{queue.name.lower()}"
    owner = ObjectKey(QUEUE, partition.full_name(path))
    for field, title, texts in (
        ("guaranteed", "Guaranteed", queue.guaranteed),
        ("max", "Maximum", queue.maximum),
    ):
        for resource, text in texts.value if texts else ():
            found.add(owner, NumberKey(field, "", resource.value), title, text)
        stated = {resource.value for resource, _ in texts.value} if texts else set()
        beside = last_place(*(text for _, text in texts.value)) if texts else None
        for resource_name in names:
            if texts and beside and resource_name not in stated:
                absent = Absent(texts.place, resource_name, beside)
                found.add(owner, NumberKey(field, "", resource_name), title, None, absent=absent)
    applications = NumberKey(_APPLICATIONS, "", "")
    name = queue.values.get("name")
    found.add(
        owner,
        applications,
        "Maximum of running applications",
        queue.applications,
        absent=Absent(queue.place, _APPLICATIONS, name.place) if name is not None else None,
    )
    for child in queue.queues:
        _add(found, child, partition, f"{path}.", names)


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
