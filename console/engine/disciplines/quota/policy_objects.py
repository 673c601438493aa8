"""Policy objects of the quota discipline and its routing, for diffs between config versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final

from console.engine.diff.compare import Comparison
from console.engine.diff.flows import Flows, rule_flows
from console.engine.diff.objects import (
    DISCIPLINE,
    LANGUAGE,
    OF_ADMISSION,
    QUEUE,
    SETTINGS,
    FactType,
    Form,
    Mention,
    Names,
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
from console.engine.diff.values import Difference, Limit, Plain
from console.engine.disciplines.quota.quota_differences import (
    Groups,
    quota_details,
    quota_numbers,
    rename_flavors,
)
from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    QueueSpec,
    QuotaSettings,
    ResourceGroup,
    spec_of,
)
from console.engine.model.amounts import WEIGHT_ONE, format_amount
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    local_routing_of,
)
from console.engine.routing.regions import Region, region_of
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule


class Noun(StrEnum):
    """The kinds of object."""

    FLAVOR = "flavor"
    COHORT = "cohort"
    QUEUE = QUEUE
    RULE = "rule"
    LOCAL_QUEUE = "local_queue"
    PRIORITY_CLASS = "priority_class"
    NAMESPACE = "namespace"
    SETTINGS = SETTINGS


#: The default words for the kinds, for languages without words of their own.
VOCABULARY: Final = Vocabulary(
    {
        Noun.FLAVOR.value: Words("flavor", "flavors"),
        Noun.COHORT.value: Words("cohort", "cohorts"),
        Noun.QUEUE.value: Words("queue", "queues"),
        Noun.RULE.value: Words("rule", "rules", is_counted=True),
        Noun.LOCAL_QUEUE.value: Words("local queue", "local queues"),
        Noun.PRIORITY_CLASS.value: Words("priority class", "priority classes"),
        Noun.NAMESPACE.value: Words("namespace", "namespaces"),
        Noun.SETTINGS.value: Words("settings", "settings"),
    }
)


class QuotaGroups(Form):
    """The resource groups of a queue or cohort, compared cell by cell; they refer to flavors."""

    rank = 2
    refers_to = Noun.FLAVOR.value

    def differences(self, name: str, old: Groups, new: Groups) -> Iterator[Difference]:
        """Yield the numbers and the orders of flavors that differ."""
        yield from quota_details(old, new)

    def evidence(self, value: Groups) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield every number by flavor, resource and limit."""
        for path, number in quota_numbers(value).items():
            yield path, str(number)

    def names(self, value: Groups) -> Iterator[str]:
        """Yield every flavor."""
        for group in value:
            for entry in group.flavors:
                yield entry.flavor

    def mentions(self, value: Groups) -> Iterator[Mention]:
        """Yield every flavor, with its numbers by resource and limit."""
        for group in value:
            for entry in group.flavors:
                alone = (ResourceGroup(resources=(), flavors=(entry,)),)
                says = ((path, str(number)) for (_, *path), number in quota_numbers(alone).items())
                yield Mention(
                    self.refers_to, entry.flavor, tuple((tuple(path), text) for path, text in says)
                )

    def renamed(self, value: Groups, names: Names) -> Groups:
        """Return the groups with newer names of flavors."""
        return rename_flavors(value, names.get(Noun.FLAVOR, {}))

    def effective(self, value: Groups) -> Plain:
        """Return every limit of every cell as a number."""
        return [
            {
                "resources": list(group.resources),
                "flavors": [
                    {
                        "name": entry.flavor,
                        "quotas": {
                            resource: {
                                limit.value: Number(format_amount(getattr(quota, limit.value)))
                                for limit in Limit
                            }
                            for resource, quota in entry.quotas.items()
                        },
                    }
                    for entry in group.flavors
                ],
            }
            for group in value
        ]


class Weight(Form):
    """A fair share weight in billionths."""

    rank = 1

    def effective(self, value: int) -> Plain:
        """Return the weight as a decimal number."""
        whole, rest = divmod(value, WEIGHT_ONE)
        return Number(f"{whole}.{rest:09d}".rstrip("0") if rest else whole)


def _reach(rule: PolicyObject) -> Region | None:
    facts = rule.facts
    return region_of(
        Rule(index=0, queue="", selector=facts["selector"], priority=facts["priority"])
    )


_GROUPS: Final = {"groups": FactType(default=(), form=QuotaGroups())}
_NODE_FORMS: Final = {"parent": Reference(Noun.COHORT), "fair_weight": Weight()}
_FLAVOR: Final = ObjectKind(
    name=Noun.FLAVOR.value, facts=field_facts(Flavor, ("name",)), may_be_renamed=True
)
_COHORT: Final = ObjectKind(
    name=Noun.COHORT.value,
    facts=_GROUPS | field_facts(Cohort, ("name", "groups"), forms=_NODE_FORMS, identifies=False),
    may_be_renamed=True,
)
#: In the order in which changes are listed.
_QUEUE_FACTS: Final = (
    "parent",
    "is_passthrough",
    "preemption",
    "strategy",
    "fungibility",
    "stop",
    "fair_weight",
    "namespaces",
    "unsupported",
)
_QUEUE_TYPES: Final = field_facts(
    QueueSpec, ("name", "groups"), forms=_NODE_FORMS, identifies=False
)
QUEUE_KIND: Final = ObjectKind(
    name=Noun.QUEUE.value,
    # Most queues have the same order and preemption and differ only in their quota.
    facts=_GROUPS | {name: _QUEUE_TYPES[name] for name in _QUEUE_FACTS},
    may_be_renamed=True,
)
_RULE: Final = ObjectKind(
    name=Noun.RULE.value,
    role=Role.ORDERED,
    facts=field_facts(Rule, ("index",), forms={"queue": Reference(Noun.QUEUE)}),
    leads_to="queue",
    selects_by=("selector",),
    reach=_reach,
)
_LOCAL_QUEUE: Final = ObjectKind(
    name=Noun.LOCAL_QUEUE.value,
    facts=field_facts(LocalQueue, ("namespace", "name"), forms={"queue": Reference(Noun.QUEUE)}),
)
_PRIORITY_CLASS: Final = ObjectKind(
    name=Noun.PRIORITY_CLASS.value, facts=field_facts(PriorityClass, ("name",))
)
_NAMESPACE: Final = ObjectKind(name=Noun.NAMESPACE.value, facts={"labels": FactType(default={})})

_BY_NAME: Final = ("local_queues", "namespaces", "priority_classes")
_ROUTING: Final = ObjectKind(
    name="routing",
    role=Role.WHOLE,
    # Compared with the settings.
    facts=field_facts(LocalQueueRouting, _BY_NAME, is_compared=False),
)
_SETTINGS: Final = ObjectKind(
    name=SETTINGS,
    role=Role.WHOLE,
    facts={
        LANGUAGE: FactType(is_effective=False),
        DISCIPLINE: FactType(),
        "routing": FactType(is_effective=False),
        **field_facts(LocalQueueRouting, _BY_NAME, is_effective=False),
        **field_facts(QuotaSettings),
        # These follow from the language and the other facts.
        **{
            name: FactType(is_compared=False, is_effective=False)
            for name in ("least_priority", "unsupported", "unsupported_labels")
        },
    },
)
_KINDS: Final = (
    _SETTINGS,
    _FLAVOR,
    _COHORT,
    QUEUE_KIND,
    _RULE,
    _ROUTING,
    _LOCAL_QUEUE,
    _PRIORITY_CLASS,
    _NAMESPACE,
)


def quota_objects(policy: Policy, queue_kind: ObjectKind = QUEUE_KIND) -> PolicyObjects:
    """Return the objects of *policy*; *queue_kind* is the kind of its queues."""
    kinds = [queue_kind if kind is QUEUE_KIND else kind for kind in _KINDS]
    return PolicyObjects(kinds, _objects(policy, queue_kind))


def flows_between(
    old: Policy, new: Policy, comparison: Comparison, history: History | None
) -> Flows:
    """
    Return which workloads change their rule from *old* to *new*.

    Two rules that lead to one queue under a new name, or that only stand at
    another place, are one. Policies without rules have no flows.
    """
    return rule_flows(old, new, comparison.matches(_RULE), history)


def _objects(policy: Policy, queue_kind: ObjectKind) -> Iterator[PolicyObject]:
    yield _settings(policy)
    for kind, items in (
        (_FLAVOR, spec_of(policy).flavors),
        (_COHORT, spec_of(policy).cohorts),
        (queue_kind, policy.queues),
    ):
        yield from _named(kind, items)
    read = _reader(_RULE)
    for rule in rules_of(policy):
        facts = read(rule)
        key = _RULE.key_at(rule.index, facts)
        yield PolicyObject(_RULE, key, rule.origin, facts, rule.index)
    routing = local_routing_of(policy)
    if routing is None:
        return
    yield PolicyObject(
        kind=_ROUTING, key=_ROUTING.name, origin=None, facts=_reader(_ROUTING)(routing)
    )
    local_queues = {"/".join(key): each for key, each in routing.local_queues.items()}
    yield from _named(_LOCAL_QUEUE, local_queues)
    yield from _named(_PRIORITY_CLASS, routing.priority_classes)
    for name, labels in routing.namespaces.items():
        yield PolicyObject(kind=_NAMESPACE, key=name, origin=None, facts={"labels": labels})


def _named(kind: ObjectKind, items: Mapping[str, Any]) -> Iterator[PolicyObject]:
    read = _reader(kind)
    for name, item in items.items():
        yield PolicyObject(kind, name, item.origin, read(item))


def _reader(kind: ObjectKind) -> Callable[[Any], dict[str, Any]]:
    """Return a function that reads the facts of *kind* from the fields of an object."""
    names = tuple(kind.facts)
    read = attrgetter(*names)
    if len(names) == 1:
        return lambda item: {names[0]: read(item)}
    return lambda item: dict(zip(names, read(item), strict=True))


def _settings(policy: Policy) -> PolicyObject:
    routing = local_routing_of(policy)
    return PolicyObject(
        kind=_SETTINGS,
        key=OF_ADMISSION,
        origin=spec_of(policy).settings.origin,
        facts={
            LANGUAGE: policy.dialect,
            DISCIPLINE: policy.discipline,
            "routing": policy.routing.name,
            **({} if routing is None else _reader(_ROUTING)(routing)),
            **{
                name: getattr(spec_of(policy).settings, name) for name in field_facts(QuotaSettings)
            },
            "least_priority": policy.least_priority,
            "unsupported": policy.unsupported,
            "unsupported_labels": policy.unsupported_labels,
        },
    )
