"""Policy objects of all dialects: every object with an origin in the text has a unique key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.objects import kinds_with_target, objects_of, shared_vocabulary
from console.dialects.yunikorn.routing import PlacementRouting
from console.engine.diff import Comparison
from console.engine.diff.objects import SETTINGS, PolicyObjects, Role
from console.engine.disciplines.fairshare.spec import Settings
from console.engine.disciplines.hierarchy.spec import Partition, PlacementRule
from console.engine.disciplines.placement.spec import (
    DeclaredCluster,
    FilterPolicy,
    PlacementSpec,
    Template,
)
from console.engine.disciplines.quota.spec import Cohort, Flavor, QuotaSettings, spec_of
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Queue
from console.engine.routing.local_queues import LocalQueue, PriorityClass
from console.engine.routing.rule_routing import rules_of
from console.engine.routing.rules import Rule
from tests.engine.strategies import policies, worlds

#: Types of policy objects; every other part with an origin belongs to one of these.
OBJECTS = (
    *(Flavor, Cohort, Queue, Rule, LocalQueue, PriorityClass, QuotaSettings),
    *(DeclaredCluster, FilterPolicy, Template, Settings),
    *(Partition, PlacementRule),
)
SAMPLES = [
    (dialect.name, text) for dialect in dialects().values() for text in dialect.samples().values()
]


def placed(value: Any) -> Iterator[tuple[type, Origin]]:
    """Yield type and origin of every policy object within *value*."""
    if isinstance(value, OBJECTS) and value.origin is not None:
        yield type(value), value.origin
    if isinstance(value, PlacementSpec) and value.settings_origin is not None:
        yield type(value), value.settings_origin
    if isinstance(value, PlacementRouting):
        # It refers to the spec of the policy.
        return
    if isinstance(value, dict):
        for item in value.values():
            yield from placed(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from placed(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from placed(getattr(value, field.name))


def assert_is_sound(policy: Policy, objects: PolicyObjects) -> None:
    """Assert the invariants of the objects of any policy."""
    found = list(objects)
    keys = [(each.kind.name, each.key) for each in found]
    assert len(set(keys)) == len(keys)
    vocabulary = dialects()[policy.dialect].vocabulary
    for each in found:
        assert each.facts.keys() <= each.kind.facts.keys()
        assert each.kind in objects.kinds
        assert each.kind.role is Role.WHOLE or each.kind.name in vocabulary.kinds
    for kind in objects.kinds:
        places = [each.place for each in objects.ordered(kind.name)]
        assert kind.role is not Role.ORDERED or places == list(range(len(places)))
    assert [each.key for each in found if each.kind.name == SETTINGS] == ["of admission"]
    known = {(each.kind.name, each.key) for each in found}
    for each in found:
        for _, mention in each.mentions():
            # A missing flavor or queue may be mentioned; a mentioned cohort always exists.
            assert mention.kind != "cohort" or (mention.kind, mention.key) in known
    assert not [*Comparison(objects, objects).changes()]


@pytest.mark.parametrize(("name", "text"), SAMPLES)
def test_every_part_with_an_origin_is_an_object(name: str, text: str) -> None:
    policy = dialects()[name].read(text, {}).policy
    assert policy is not None
    objects = objects_of(policy)
    assert_is_sound(policy, objects)
    origins = [each.origin for each in objects if each.origin is not None]
    assert sorted(origins) == sorted(origin for _, origin in placed(policy))


@worlds(100)
@given(data=st.data())
def test_objects_of_random_policies_are_sound(data: st.DataObject) -> None:
    policy = data.draw(policies())
    objects = objects_of(policy)
    assert_is_sound(policy, objects)
    by_kind = [len(objects.of(kind)) for kind in ("flavor", "cohort", "queue", "rule")]
    assert by_kind == [
        *map(
            len, (spec_of(policy).flavors, spec_of(policy).cohorts, policy.queues, rules_of(policy))
        )
    ]


@worlds(100)
@given(data=st.data())
def test_renaming_changes_all_mentions_of_an_object(data: st.DataObject) -> None:
    objects = objects_of(data.draw(policies()))
    kinds = [kind.name for kind in objects.kinds if kind.may_be_renamed and objects.of(kind.name)]
    kind = data.draw(st.sampled_from(kinds))
    old = data.draw(st.sampled_from(list(objects.of(kind))))
    renamed = objects.renamed({kind: {old: f"{old}:v2"}})
    assert old not in renamed.of(kind)
    assert list(renamed.of(kind)) == [
        f"{key}:v2" if key == old else key for key in objects.of(kind)
    ]

    def named(objects: PolicyObjects, key: str) -> list[tuple[str, str]]:
        return [
            (each.kind.name, name)
            for each in objects
            for name, mention in each.mentions()
            if (mention.kind, mention.key) == (kind, key)
        ]

    assert named(renamed, old) == []
    assert named(renamed, f"{old}:v2") == named(objects, old)
    back = renamed.renamed({kind: {f"{old}:v2": old}})
    assert [(each.key, each.facts) for each in back] == [(each.key, each.facts) for each in objects]


def test_vocabularies_of_all_dialects() -> None:
    words = shared_vocabulary()
    assert [(kind, words.of(kind).plural) for kind in words.kinds] == [
        ("queue", "queues"),
        ("priority_class", "priority classes"),
        ("node", "nodes"),
        ("flavor", "flavors"),
        ("cohort", "cohorts"),
        ("rule", "rules"),
        ("local_queue", "local queues"),
        ("namespace", "namespaces"),
        ("cluster", "clusters"),
        ("placement_template", "placement templates"),
        ("filter_policy", "filter policies"),
        ("partition", "partitions"),
        ("placement_rule", "placement rules"),
        ("settings", "settings"),
    ]
    assert kinds_with_target() == ("rule",)
