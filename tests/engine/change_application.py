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
APART = ("name", "namespace", "groups", "index")
EMPTY: Mapping[Noun, Any] = {
    Noun.FLAVOR: Flavor(name=""),
    Noun.COHORT: Cohort(name=""),
    Noun.QUEUE: QueueSpec(name=""),
    Noun.LOCAL_QUEUE: LocalQueue(namespace="", name="", queue=""),
    Noun.PRIORITY_CLASS: PriorityClass(name="", value=0),
}

Told = dict[Any, Any]


def told_of(policy: Policy) -> Told:
    """Return all facts of *policy* in a form to which changes can be applied."""
    routing = local_routing_of(policy) or LocalQueueRouting()
    local_queues = {"/".join(key): local_queue for key, local_queue in routing.local_queues.items()}
    told: Told = {
        noun: {name: _object(item) for name, item in items.items()}
        for noun, items in (
            (Noun.FLAVOR, spec_of(policy).flavors),
            (Noun.COHORT, spec_of(policy).cohorts),
            (Noun.QUEUE, policy.queues),
            (Noun.LOCAL_QUEUE, local_queues),
            (Noun.PRIORITY_CLASS, routing.priority_classes),
        )
    }
    told[Noun.NAMESPACE] = {
        name: {"fields": {"labels": dict(labels)}} for name, labels in routing.namespaces.items()
    }
    told[Noun.RULE] = [_object(rule) for rule in rules_of(policy)]
    told[Noun.SETTINGS] = {
        "fields": {
            "dialect": policy.dialect,
            "discipline": policy.discipline,
            "routing": "local_queues" if local_routing_of(policy) else "rules",
            "queue_label": routing.queue_label if local_routing_of(policy) else None,
            "priority_label": routing.priority_label if local_routing_of(policy) else None,
            **plain_fields(spec_of(policy).settings),
        }
    }
    return told


def retell(old: Policy, changes: Sequence[Change]) -> Told:
    """Return the facts of *old* after *changes*, which must cover all differences."""
    told = told_of(old)
    for change in changes:
        if change.kind is ChangeKind.RENAMED:
            _rename(told, change)
    rules: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    for change in changes:
        if change.noun == Noun.RULE:
            _retell_rule(told, change, rules, gone)
        elif change.noun == Noun.SETTINGS:
            _apply(told[Noun.SETTINGS], change)
        else:
            _retell_named(told[change.noun], change)
    kept = [rule for index, rule in enumerate(told[Noun.RULE]) if index not in gone]
    told[Noun.RULE] = [
        rules[index] if index in rules else kept.pop(0) for index in range(len(kept) + len(rules))
    ]
    return told


def _object(item: Any) -> dict[str, Any]:
    groups: Sequence[ResourceGroup] = getattr(item, "groups", ())
    said = {
        "fields": _without_nothing(plain_fields(item, APART)),
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
        said["fields"]["groups"] = {"resources": together}
    return said


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


def _without_nothing(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_nothing(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
    }


def _retell_named(objects: Told, change: Change) -> None:
    if change.kind is ChangeKind.REMOVED:
        del objects[change.name]
        return
    if change.kind is ChangeKind.ADDED:
        assert change.name not in objects
        empty = EMPTY.get(change.noun)
        fields = {"labels": {}} if empty is None else default_fields(empty, APART)
        objects[change.name] = {"fields": fields}
        if empty is not None:
            objects[change.name] |= {"cells": {}, "orders": {}}
    _apply(objects[change.name], change)


def _retell_rule(
    told: Told, change: Change, rules: dict[int, dict[str, Any]], gone: set[int]
) -> None:
    index, _, queue = change.name.partition(" to ")
    was = int((change.old_name or change.name).partition(" ")[0])
    if change.kind is not ChangeKind.ADDED:
        gone.add(was)
    if change.kind is ChangeKind.REMOVED:
        return
    if change.kind is ChangeKind.ADDED:
        empty = default_fields(Rule(index=0, queue=""), APART)
        rule: dict[str, Any] = {"fields": empty | {"queue": queue}, "cells": {}, "orders": {}}
    else:
        rule = told[Noun.RULE][was]
    _apply(rule, change)
    rule["fields"].pop("index", None)
    assert rule["fields"]["queue"] == queue
    rules[int(index)] = rule


def _apply(said: dict[str, Any], change: Change) -> None:
    for detail in change.details:
        if isinstance(detail, FieldChange):
            _set(said["fields"], detail)
        elif isinstance(detail, QuotaChange):
            _set_cell(said, detail)
    for detail in change.details:
        if isinstance(detail, OrderChange):
            for resource in detail.resources:
                assert said["orders"].get(resource, []) != list(detail.new)
                said["orders"][resource] = list(detail.new)


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


def _set_cell(said: dict[str, Any], detail: QuotaChange) -> None:
    cell = (detail.flavor, detail.resource)
    order = said["orders"].setdefault(detail.resource, [])
    if detail.new is None:
        said["cells"].pop(cell, None)
        if detail.limit is Limit.NOMINAL:
            order.remove(detail.flavor)
        return
    if cell not in said["cells"]:
        assert detail.old is None
        unsaid = {Limit.NOMINAL: 0, Limit.BORROWING: UNLIMITED, Limit.LENDING: UNLIMITED}
        said["cells"][cell] = unsaid
        order.append(detail.flavor)
    elif detail.old is not None:
        assert said["cells"][cell][detail.limit] == detail.old
    said["cells"][cell][detail.limit] = detail.new


def _rename(told: Told, change: Change) -> None:
    old, new, noun = change.old_name, change.name, change.noun
    told[noun] = {new if name == old else name: item for name, item in told[noun].items()}
    for kind in (Noun.QUEUE, Noun.COHORT):
        for item in told[kind].values():
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
        for item in (*told[Noun.RULE], *told[Noun.LOCAL_QUEUE].values()):
            if item["fields"]["queue"] == old:
                item["fields"]["queue"] = new


def settled(told: Told) -> Told:
    """Return *told* without empty values, such as empty mappings and empty flavor orders."""
    return _settled(told)


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _settled(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ({}, [], None, [[]])}
    if isinstance(value, list):
        return [_settled(item) for item in value]
    return value
