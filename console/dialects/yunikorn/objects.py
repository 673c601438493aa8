"""Policy objects: settings, partitions, queues and placement rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from console.dialects.yunikorn.quantities import write_quantity
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
    Reference,
    Role,
    Vocabulary,
    Words,
    field_facts,
)
from console.engine.diff.plain import differing
from console.engine.diff.values import Difference, Plain
from console.engine.disciplines.hierarchy.resources import Resources
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    Filter,
    HierarchyQueue,
    Limit,
    Partition,
    PlacementRule,
    Template,
    hierarchy_of,
)
from console.engine.model.policy import Policy

PARTITION: Final = "partition"
RULE: Final = "placement_rule"

VOCABULARY: Final = Vocabulary(
    {
        PARTITION: Words("partition", "partitions"),
        QUEUE: Words("queue", "queues"),
        RULE: Words("placement rule", "placement rules", is_counted=True),
        SETTINGS: Words("settings", "settings"),
    }
)


class AmountsForm(Form):
    """Guarantees or maxima by resource, as quantities; nothing if they are not set."""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the resources whose quantities differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: Resources | None) -> Plain:
        """Return the quantities by resource."""
        return quantities(value)


class AccessForm(Form):
    """An access list as a text."""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the text if it differs."""
        yield from differing({name: access_text(old)}, {name: access_text(new)})

    def effective(self, value: AccessList) -> Plain:
        """Return the text."""
        return access_text(value)


class TemplateForm(Form):
    """A child template with its quantities."""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the settings that differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: Template | None) -> Plain:
        """Return the settings, without those that are not set."""
        if value is None:
            return None
        found: dict[str, Plain] = {}
        if value.applications:
            found["applications"] = value.applications
        if value.properties:
            found["properties"] = dict(value.properties)
        if value.guaranteed:
            found["guaranteed"] = quantities(value.guaranteed)
        if value.maximum:
            found["maximum"] = quantities(value.maximum)
        return found


class LimitsForm(Form):
    """The limits of a queue, in its order."""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the limits if they differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: tuple[Limit, ...]) -> Plain:
        """Return each limit."""
        return [_limit(each) for each in value]


def quantities(amounts: Resources | None) -> Plain:
    """Return amounts as quantities; nothing if they are not set."""
    if amounts is None:
        return None
    return {name: Number(write_quantity(value, name)) for name, value in amounts.items()}


def access_text(access: AccessList) -> str:
    """Return an access list as it is written, in the order of the alphabet."""
    if access.is_all_users:
        return "*"
    users, groups = ",".join(sorted(access.users)), ",".join(sorted(access.groups))
    return f"{users} {groups}" if groups else users


def _limit(limit: Limit) -> Plain:
    found: dict[str, Plain] = {}
    if limit.description:
        found["limit"] = limit.description
    if limit.users:
        found["users"] = list(limit.users)
    if limit.groups:
        found["groups"] = list(limit.groups)
    if limit.resources:
        found["resources"] = quantities(limit.resources)
    if limit.applications:
        found["applications"] = limit.applications
    return found


_SWITCHES: Final = field_facts(Compatibility)
_SETTINGS: Final = ObjectKind(
    name=SETTINGS,
    role=Role.WHOLE,
    facts={LANGUAGE: FactType(is_effective=False), DISCIPLINE: FactType(), **_SWITCHES},
)
_PARTITION: Final = ObjectKind(name=PARTITION, facts=field_facts(Partition, ("name", "rules")))
#: Fields of queues of other disciplines, and those that follow from the name or the children.
_NOT_FACTS: Final = (
    *("is_passthrough", "strategy", "stop", "namespaces", "unsupported"),
    *("name", "is_leaf", "spelling"),
)
_AMOUNTS: Final = AmountsForm()
_QUEUE: Final = ObjectKind(
    name=QUEUE,
    facts=field_facts(
        HierarchyQueue,
        _NOT_FACTS,
        forms={
            "parent": Reference(QUEUE),
            "partition": Reference(PARTITION),
            "guaranteed": _AMOUNTS,
            "maximum": _AMOUNTS,
            "submit": AccessForm(),
            "admin": AccessForm(),
            "template": TemplateForm(),
            "limits": LimitsForm(),
        },
    ),
    may_be_renamed=True,
)
_RULE: Final = ObjectKind(
    name=RULE,
    role=Role.ORDERED,
    facts={
        "partition": FactType(form=Reference(PARTITION)),
        "kind": FactType(),
        "value": FactType(default=""),
        "creates": FactType(default=False),
        "filter": FactType(),
        "parent": FactType(),
    },
    selects_by=("partition", "kind", "value", "parent"),
)
_KINDS: Final = (_SETTINGS, _PARTITION, _RULE, _QUEUE)


def hierarchy_objects(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*."""
    return PolicyObjects(_KINDS, _objects(policy))


def _objects(policy: Policy) -> Iterator[PolicyObject]:
    spec = hierarchy_of(policy)
    settings = {
        LANGUAGE: policy.dialect,
        DISCIPLINE: policy.discipline,
        **{name: getattr(spec.compatibility, name) for name in _SWITCHES},
    }
    yield PolicyObject(_SETTINGS, OF_ADMISSION, None, settings)
    place = 0
    for partition in spec.partitions.values():
        facts = {name: getattr(partition, name) for name in _PARTITION.facts}
        yield PolicyObject(_PARTITION, partition.name, partition.origin, facts)
        for rule in partition.rules:
            stated = {"partition": partition.name, **_rule(rule)}
            key = _RULE.key_at(place, stated)
            yield PolicyObject(_RULE, key, rule.origin, stated, place)
            place += 1
    for queue in spec.queues.values():
        facts = {name: getattr(queue, name) for name in _QUEUE.facts}
        yield PolicyObject(_QUEUE, queue.name, queue.origin, facts)


def _rule(rule: PlacementRule) -> dict[str, Any]:
    return {
        "kind": rule.kind.value,
        "value": rule.value,
        "creates": rule.creates,
        "filter": _filter(rule.filter),
        "parent": None if rule.parent is None else _rule(rule.parent),
    }


def _filter(stated: Filter) -> dict[str, Plain] | None:
    if not (stated.is_deny or stated.stated_users or stated.stated_groups):
        return None
    found: dict[str, Plain] = {"type": "deny" if stated.is_deny else "allow"}
    if stated.stated_users:
        found["users"] = list(stated.stated_users)
    if stated.stated_groups:
        found["groups"] = list(stated.stated_groups)
    return found
