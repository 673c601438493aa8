"""Policy objects: settings, queues, priority classes and nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from console.dialects.kai.numbers import bound_text
from console.dialects.kai.routing import DEFAULT_CLASS, QueueLabelRouting
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
from console.engine.disciplines.fairshare.resources import RESOURCES, PerResource
from console.engine.disciplines.fairshare.spec import FairQueue, Settings, fairshare_of
from console.engine.model.inventory import Node
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import PriorityClass

PRIORITY_CLASS: Final = "priority_class"
NODE: Final = "node"

VOCABULARY: Final = Vocabulary(
    {
        QUEUE: Words("queue", "queues"),
        PRIORITY_CLASS: Words("priority class", "priority classes"),
        NODE: Words("node", "nodes"),
        SETTINGS: Words("settings", "settings"),
    }
)


class ByResource(Form):
    """Quotas, limits or weights by resource, as they are written."""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the resources whose numbers differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: PerResource[Any]) -> Plain:
        """Return the numbers by resource."""
        return {
            resource: self.number(amount, resource)
            for resource, amount in zip(RESOURCES, value, strict=True)
        }

    def number(self, value: Any, resource: str) -> Plain:
        """Return one number; weights have no unit."""
        return Number(f"{value:g}")


class BoundsByResource(ByResource):
    """Quotas or limits, in the units of KAI."""

    def number(self, value: Any, resource: str) -> Plain:
        """Return the number in thousandths of a core, MB or devices; -1: unlimited."""
        return Number(bound_text(value, resource))


_BOUNDS: Final = BoundsByResource()
_SETTING_FACTS: Final = field_facts(Settings)
_SETTINGS: Final = ObjectKind(
    name=SETTINGS,
    role=Role.WHOLE,
    facts={
        LANGUAGE: FactType(is_effective=False),
        DISCIPLINE: FactType(),
        **_SETTING_FACTS,
        "default_priority_class": FactType(default=DEFAULT_CLASS.name),
    },
)
#: Fields of queues of other disciplines.
_NOT_OF_KAI: Final = ("is_passthrough", "strategy", "stop", "namespaces", "unsupported")
_QUEUE: Final = ObjectKind(
    name=QUEUE,
    facts=field_facts(
        FairQueue,
        ("name", *_NOT_OF_KAI),
        forms={
            "parent": Reference(QUEUE),
            "quota": _BOUNDS,
            "limit": _BOUNDS,
            "weight": ByResource(),
        },
    ),
    may_be_renamed=True,
)
_PRIORITY_CLASS: Final = ObjectKind(
    name=PRIORITY_CLASS, facts=field_facts(PriorityClass, ("name",)), may_be_renamed=True
)
# A node under another name is another node: reports name it.
_NODE: Final = ObjectKind(name=NODE, facts=field_facts(Node, ("name",)))
_KINDS: Final = (_SETTINGS, _QUEUE, _PRIORITY_CLASS, _NODE)


def fairshare_objects(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*."""
    return PolicyObjects(_KINDS, _objects(policy))


def _objects(policy: Policy) -> Iterator[PolicyObject]:
    spec, routing = fairshare_of(policy), policy.routing
    by_label = routing if isinstance(routing, QueueLabelRouting) else QueueLabelRouting()
    settings = {
        LANGUAGE: policy.dialect,
        DISCIPLINE: policy.discipline,
        **{name: getattr(spec.settings, name) for name in _SETTING_FACTS},
        "default_priority_class": by_label.default_class.name,
    }
    yield PolicyObject(_SETTINGS, OF_ADMISSION, spec.settings.origin, settings)
    for queue in spec.queues.values():
        yield _named(_QUEUE, queue)
    for each in by_label.priority_classes.values():
        yield _named(_PRIORITY_CLASS, each)
    for node in spec.nodes.values():
        facts = {name: getattr(node, name) for name in _NODE.facts}
        yield PolicyObject(_NODE, node.name, None, facts)


def _named(kind: ObjectKind, item: FairQueue | PriorityClass) -> PolicyObject:
    facts = {name: getattr(item, name) for name in kind.facts}
    return PolicyObject(kind, item.name, item.origin, facts)
