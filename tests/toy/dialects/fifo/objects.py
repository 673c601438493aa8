"""Policy objects of the toy dialect: its settings and its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from console.engine.diff.objects import (
    DISCIPLINE,
    LANGUAGE,
    OF_ADMISSION,
    QUEUE,
    SETTINGS,
    FactType,
    Form,
    Number,
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    Role,
    Vocabulary,
    Words,
)
from console.engine.diff.plain import differing
from console.engine.diff.values import Difference, Plain
from console.engine.disciplines.slots.spec import slots_of
from console.engine.model.amounts import format_amount
from console.engine.model.policy import Policy

VOCABULARY: Final = Vocabulary(
    {QUEUE: Words("line", "lines"), SETTINGS: Words("settings", "settings")}
)


class Limit(Form):
    """Amounts in thousandths by resource, shown in units."""

    def differences(
        self, name: str, old: Mapping[str, int], new: Mapping[str, int]
    ) -> Iterator[Difference]:
        """Yield the amounts that differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: Mapping[str, int]) -> Plain:
        """Return the amounts in units."""
        return {resource: Number(format_amount(amount)) for resource, amount in value.items()}


_SETTINGS: Final = ObjectKind(
    name=SETTINGS,
    role=Role.WHOLE,
    facts={LANGUAGE: FactType(is_effective=False), DISCIPLINE: FactType()},
)
_LINE: Final = ObjectKind(
    name=QUEUE, facts={"limit": FactType(default={}, form=Limit())}, may_be_renamed=True
)


def line_objects(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*."""
    return PolicyObjects((_SETTINGS, _LINE), _objects(policy))


def _objects(policy: Policy) -> Iterator[PolicyObject]:
    facts = {LANGUAGE: policy.dialect, DISCIPLINE: policy.discipline}
    yield PolicyObject(_SETTINGS, OF_ADMISSION, None, facts)
    for line in slots_of(policy).queues.values():
        yield PolicyObject(_LINE, line.name, line.origin, {"limit": line.limit})
