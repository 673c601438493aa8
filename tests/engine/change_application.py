"""Application of policy changes to the facts of the old policy, to test that diffs are complete."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from console.engine.diff import Change, ChangeKind, FieldChange, Limit, OrderChange, QuotaChange
from console.engine.diff.plain import Plain, plain, plain_fields
from console.engine.disciplines.quota.policy_objects import Noun
from console.engine.disciplines.quota.spec import Cohort, Flavor, QueueSpec, ResourceGroup, spec_of
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    local_routing_of,
)
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule

#: Objects with default values by kind, and the fields that are compared separately.
SEPARATE_FIELDS = ("name", "namespace", "groups", "index")
DEFAULT_OBJECTS: Mapping[Noun, Any] = {
    Noun.FLAVOR: Flavor(name=""),
    Noun.COHORT: Cohort(name=""),
    Noun.QUEUE: QueueSpec(name=""),
    Noun.LOCAL_QUEUE: LocalQueue(namespace="", name="", queue=""),
    Noun.PRIORITY_CLASS: PriorityClass(name="", value=0),
}

Facts = dict[Any, Any]


def facts_of(policy: Policy) -> Facts:
    """Return all facts of *policy* in a form to which changes can be applied."""
    routing = local_routing_of(policy) or LocalQueueRouting()
    local_queues = {"/".join(key): local_queue for key, local_queue in routing.local_queues.items()}
    facts: Facts = {
        noun: {name: _object(item) for name, item in items.items()}
        for noun, items in (
            (Noun.FLAVOR, spec_of(policy).flavors),
            (Noun.COHORT, spec_of(policy).cohorts),
            (Noun.QUEUE, policy.queues),
            (Noun.LOCAL_QUEUE, local_queues),
            (Noun.PRIORITY_CLASS, routing.priority_classes),
        )
    }
    facts[Noun.NAMESPACE] = {
        name: {"fields": {"labels": dict(labels)}} for name, labels in routing.namespaces.items()
    }
    facts[Noun.RULE] = [_object(rule) for rule in rules_of(policy)]
    facts[Noun.SETTINGS] = {
        "fields": {
            "dialect": policy.dialect,
            "discipline": policy.discipline,
            "routing": "local_queues" if local_routing_of(policy) else "rules",
            "queue_label": routing.queue_label if local_routing_of(policy) else None,
            "priority_label": routing.priority_label if local_routing_of(policy) else None,
            **plain_fields(spec_of(policy).settings),
        }
    }
    return facts


def apply_changes(old: Policy, changes: Sequence[Change]) -> Facts:
    """Return the facts of *old* after *changes*, which must cover all differences."""
    facts = facts_of(old)
    for change in changes:
        if change.kind is ChangeKind.RENAMED:
            _rename(facts, change)
    rules: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    for change in changes:
        if change.noun == Noun.RULE:
            _apply_to_rule(facts, change, rules, gone)
        elif change.noun == Noun.SETTINGS:
            _apply(facts[Noun.SETTINGS], change)
        else:
            _apply_to_named(facts[change.noun], change)
    kept = [rule for index, rule in enumerate(facts[Noun.RULE]) if index not in gone]
    facts[Noun.RULE] = [
        rules[index] if index in rules else kept.pop(0) for index in range(len(kept) + len(rules))
    ]
    return facts


def _object(item: Any) -> dict[str, Any]:
    groups: Sequence[ResourceGroup] = getattr(item, "groups", ())
    object_facts = {
        "fields": _plain_dicts(plain_fields(item, SEPARATE_FIELDS)),
        "cells": {
            (entry.flavor, resource): {limit: getattr(quota, limit) for limit in Limit}
            for group in groups
            for entry in group.flavors
            for resource, quota in entry.quotas.items()
        },
        "orders": {
            resource: [entry.flavor for entry in group.flavors]
            for group in groups
            for resource in group.resources
            if group.flavors
        },
    }
    together = sorted(sorted(group.resources) for group in groups if len(group.resources) > 1)
    if together:
        object_facts["fields"]["groups"] = {"resources": together}
    return object_facts


def default_fields(item: Any, without: tuple[str, ...]) -> dict[str, Plain]:
    """Return the default values of the fields of *item*; None for required fields."""
    found: dict[str, Plain] = {}
    for each in dataclasses.fields(item):
        if each.init and each.name != "origin" and each.name not in without:
            found[each.name] = None
            if each.default is not dataclasses.MISSING:
                found[each.name] = plain(each.default)
            elif each.default_factory is not dataclasses.MISSING:
                found[each.name] = plain(each.default_factory())
    return found


def _plain_dicts(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _plain_dicts(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
    }


def _apply_to_named(objects: Facts, change: Change) -> None:
    if change.kind is ChangeKind.REMOVED:
        del objects[change.name]
        return
    if change.kind is ChangeKind.ADDED:
        assert change.name not in objects
        empty = DEFAULT_OBJECTS.get(change.noun)
        fields = {"labels": {}} if empty is None else default_fields(empty, SEPARATE_FIELDS)
        objects[change.name] = {"fields": fields}
        if empty is not None:
            objects[change.name] |= {"cells": {}, "orders": {}}
    _apply(objects[change.name], change)


def _apply_to_rule(
    facts: Facts, change: Change, rules: dict[int, dict[str, Any]], gone: set[int]
) -> None:
    index, _, queue = change.name.partition(" to ")
    was = int((change.old_name or change.name).partition(" ")[0])
    if change.kind is not ChangeKind.ADDED:
        gone.add(was)
    if change.kind is ChangeKind.REMOVED:
        return
    if change.kind is ChangeKind.ADDED:
        empty = default_fields(Rule(index=0, queue=""), SEPARATE_FIELDS)
        rule: dict[str, Any] = {"fields": empty | {"queue": queue}, "cells": {}, "orders": {}}
    else:
        rule = facts[Noun.RULE][was]
    _apply(rule, change)
    rule["fields"].pop("index", None)
    assert rule["fields"]["queue"] == queue
    rules[int(index)] = rule


def _apply(object_facts: dict[str, Any], change: Change) -> None:
    for detail in change.details:
        if isinstance(detail, FieldChange):
            _set(object_facts["fields"], detail)
        elif isinstance(detail, QuotaChange):
            _set_cell(object_facts, detail)
    for detail in change.details:
        if isinstance(detail, OrderChange):
            for resource in detail.resources:
                assert object_facts["orders"].get(resource, []) != list(detail.new)
                object_facts["orders"][resource] = list(detail.new)


def _set(fields: dict[str, Any], detail: FieldChange) -> None:
    *heads, last = detail.path
    for head in heads:
        fields = fields.setdefault(head, {})
    if last != "index":
        assert fields.get(last) == detail.old or detail.path == ("groups", "resources")
    if detail.new is None and heads and heads[0] in ("node_labels", "labels", "launch_config"):
        fields.pop(last, None)
    else:
        fields[last] = detail.new


def _set_cell(object_facts: dict[str, Any], detail: QuotaChange) -> None:
    cell = (detail.flavor, detail.resource)
    order = object_facts["orders"].setdefault(detail.resource, [])
    if detail.new is None:
        object_facts["cells"].pop(cell, None)
        if detail.limit is Limit.NOMINAL:
            order.remove(detail.flavor)
        return
    if cell not in object_facts["cells"]:
        assert detail.old is None
        unsaid = {Limit.NOMINAL: 0, Limit.BORROWING: UNLIMITED, Limit.LENDING: UNLIMITED}
        object_facts["cells"][cell] = unsaid
        order.append(detail.flavor)
    elif detail.old is not None:
        assert object_facts["cells"][cell][detail.limit] == detail.old
    object_facts["cells"][cell][detail.limit] = detail.new


def _rename(facts: Facts, change: Change) -> None:
    old, new, noun = change.old_name, change.name, change.noun
    facts[noun] = {new if name == old else name: item for name, item in facts[noun].items()}
    for kind in (Noun.QUEUE, Noun.COHORT):
        for item in facts[kind].values():
            if noun == Noun.COHORT and item["fields"]["parent"] == old:
                item["fields"]["parent"] = new
            if noun == Noun.FLAVOR:
                item["cells"] = {
                    (new if flavor == old else flavor, resource): limits
                    for (flavor, resource), limits in item["cells"].items()
                }
                for order in item["orders"].values():
                    order[:] = [new if flavor == old else flavor for flavor in order]
    if noun == Noun.QUEUE:
        for item in (*facts[Noun.RULE], *facts[Noun.LOCAL_QUEUE].values()):
            if item["fields"]["queue"] == old:
                item["fields"]["queue"] = new


def without_empty_values(facts: Facts) -> Facts:
    """Return *facts* without empty values, such as empty mappings and empty flavor orders."""
    return _without_empty(facts)


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ({}, [], None, [[]])}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value
