"""The tree of queues: created ones, templates, tags, updates of the config, removals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from console.engine.disciplines.hierarchy.properties import SortPolicy
from console.engine.disciplines.hierarchy.runtime_queue import (
    ChangeKind,
    QueueChange,
    QueueStatus,
    RuntimeQueue,
)
from console.engine.disciplines.hierarchy.spec import YUNIKORN, Compatibility, Template
from console.engine.disciplines.hierarchy.tree import BAD_NAME, CreationRefused, RuntimeTree
from tests.engine.hierarchy.builders import ALL_USERS, spec, tree, users

OPEN = {"submit": ALL_USERS}
PARENT = {"is_leaf": False}


def queue(found: RuntimeTree, path: str) -> RuntimeQueue:
    """Return a queue that exists."""
    result = found.find(path)
    assert result is not None
    return result


def create(found: RuntimeTree, path: str) -> list[QueueChange]:
    """Create a queue for a user."""
    return found.create(path, "ann", ("ann",))


def summary(changes: list[QueueChange]) -> list[tuple[str, str, Mapping[str, object]]]:
    """Return changes in a short form."""
    return [(each.kind.value, each.queue.path, each.before) for each in changes]


def kinds(changes: list[QueueChange], kind: ChangeKind) -> list[str]:
    """Return the paths of the changes of one kind."""
    return [each.queue.path for each in changes if each.kind is kind]


def attributes(found: RuntimeTree, path: str) -> dict[str, Any]:
    """Return what a template sets."""
    each = queue(found, path)
    return {
        "applications": each.applications,
        "guaranteed": each.guaranteed,
        "maximum": each.maximum,
        "properties": dict(each.properties),
    }


# Building.


def test_a_config_becomes_a_tree() -> None:
    found = tree(
        {
            "root": {**OPEN, "applications": 9, "properties": {"preemption.policy": "disabled"}},
            "root.a": {
                "maximum": {"vcore": 5},
                "guaranteed": {"vcore": 2},
                "applications": 3,
                "properties": {"application.sort.policy": "fair"},
            },
            "root.p": {**PARENT},
            "root.p.x": {},
        }
    )
    assert list(found.queues) == ["root", "root.a", "root.p", "root.p.x"]
    leaf = queue(found, "root.A")
    assert (leaf.name, leaf.depth, leaf.parent) == ("a", 1, found.root)
    assert (leaf.is_leaf, leaf.is_managed, leaf.status) == (True, True, QueueStatus.ACTIVE)
    assert attributes(found, "root.a") == {
        "applications": 3,
        "guaranteed": {"vcore": 2},
        "maximum": {"vcore": 5},
        "properties": {"application.sort.policy": "fair", "preemption.policy": "disabled"},
    }
    assert (leaf.settings.sort, leaf.settings.preempts) == (SortPolicy.FAIR, False)
    assert found.root.applications == 9
    assert found.root.settings.sort is SortPolicy.FAIR
    assert list(queue(found, "root.p").children) == ["x"]
    assert [each.path for each in queue(found, "root.p.x").with_those_above()] == [
        "root.p.x",
        "root.p",
        "root",
    ]


def test_a_partition_has_its_own_tree() -> None:
    stated = spec({"root": {}, "root.a": {}}, partition="gpu")
    assert list(RuntimeTree.build(stated, "gpu").queues) == ["root", "root.a"]
    assert list(RuntimeTree.build(stated).queues) == ["root"]


def test_nodes_set_the_maximum_of_the_root() -> None:
    found = tree({"root": {}})
    assert summary(found.set_root_maximum({"vcore": 7})) == [("changed", "root", {"maximum": None})]
    assert found.root.maximum == {"vcore": 7}
    assert found.set_root_maximum({"vcore": 7}) == []


@pytest.mark.parametrize(
    ("maximum", "enforced", "in_yunikorn"),
    [
        ({"vcore": 0}, {"vcore": 0}, None),
        ({"vcore": 0, "memory": 1}, {"vcore": 0, "memory": 1}, {"vcore": 0, "memory": 1}),
        ({}, None, None),
        (None, None, None),
    ],
)
def test_a_maximum_of_nothing(
    maximum: dict[str, int] | None,
    enforced: dict[str, int] | None,
    in_yunikorn: dict[str, int] | None,
) -> None:
    queues = {"root": {}, "root.a": {"maximum": maximum}}
    assert queue(tree(queues), "root.a").maximum == enforced
    assert queue(tree(queues, YUNIKORN), "root.a").maximum == in_yunikorn


# Created queues.


def test_a_rule_creates_a_leaf_and_those_above_it() -> None:
    found = tree({"root": {**OPEN, "properties": {"preemption.delay": "5s"}}})
    assert summary(create(found, "root.New.q")) == [
        ("created", "root.new", {}),
        ("created", "root.new.q", {}),
    ]
    above, leaf = queue(found, "root.new"), queue(found, "root.new.q")
    assert (above.is_leaf, above.is_managed, above.settings.sort) == (
        False,
        False,
        SortPolicy.FAIR,
    )
    assert (leaf.is_leaf, leaf.is_managed) == (True, False)
    # Properties are those of the template, not those of the queue above.
    assert leaf.properties == {}
    assert create(found, "root.new.q") == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a", "illegal queue name passed in: a"),
        ("rootfoo.a", "illegal queue name passed in: rootfoo.a"),
        (
            "root.closed.x",
            "submit access to queue root.closed denied during create of: root.closed.x",
        ),
        (
            "root.p.leaf.x.y",
            "creation of queue root.p.leaf.x.y failed parent is already a leaf: root.p.leaf",
        ),
        ("root.p.a b", f"dynamic queue creation failed: {BAD_NAME}"),
        ("root.p.new.", f"dynamic queue creation failed: {BAD_NAME}"),
        (
            "root.p.@recovery@",
            "dynamic queue creation failed: dynamic queue cannot be root.@recovery@",
        ),
        (
            "root.p.old.x",
            (
                "dynamic queue creation failed: cannot add a child queue when queue is marked for "
                "deletion: root.p.old"
            ),
        ),
    ],
)
def test_a_queue_is_not_created(path: str, message: str) -> None:
    queues = {
        "root": {},
        "root.closed": PARENT,
        "root.p": {**PARENT, **OPEN},
        "root.p.leaf": {},
    }
    found = tree({**queues, "root.p.old": PARENT})
    found.update(spec(queues))
    before = list(found.queues)
    with pytest.raises(CreationRefused) as refused:
        create(found, path)
    assert str(refused.value) == message
    assert list(found.queues) == before


def test_the_recovery_queue_sorts_by_time_whatever_its_template_says() -> None:
    template = Template(properties={"application.sort.policy": "fair"}, maximum={"vcore": 1})
    found = tree({"root": {"template": template}})
    assert summary(found.create_recovery()) == [("created", "root.@recovery@", {})]
    assert found.create_recovery() == []
    recovery = queue(found, "root.@recovery@")
    assert recovery.settings.sort is SortPolicy.FIFO
    assert recovery.maximum == {"vcore": 1}
    assert not recovery.may_submit("ann", ())


def test_a_queue_is_restored_without_access() -> None:
    found = tree({"root": {}, "root.leaf": {}})
    assert kinds(found.restore("root.x.y"), ChangeKind.CREATED) == ["root.x", "root.x.y"]
    # The queue above has become a leaf since.
    assert kinds(found.restore("root.leaf.z"), ChangeKind.CREATED) == ["root.leaf.z"]
    assert found.restore("root.leaf.z") == []
    assert found.restore("elsewhere.z") == []


def test_a_tree_has_queues_that_were_created_earlier() -> None:
    names = ["root.x.y", "gpu:root.g", "root.a"]
    queues = {"root": {}, "root.a": {}}
    found = RuntimeTree.build(spec(queues), created=names)
    assert list(found.queues) == ["root", "root.a", "root.x", "root.x.y"]
    gpu = RuntimeTree.build(spec(queues, partition="gpu"), "gpu", names)
    assert list(gpu.queues) == ["root", "root.a", "root.g"]


# Templates.

ROOT_TEMPLATE = Template(
    applications=10,
    properties={"application.sort.policy": "stateaware"},
    guaranteed={"vcore": 1000, "memory": 1000},
    maximum={"vcore": 20000, "memory": 600000},
)
OWN_TEMPLATE = Template(maximum={"vcore": 21000, "memory": 610000})
OF_ROOT = {
    "applications": 10,
    "guaranteed": {"vcore": 1000, "memory": 1000},
    "maximum": {"vcore": 20000, "memory": 600000},
    "properties": {"application.sort.policy": "stateaware"},
}
OF_PARENT = {
    "applications": 0,
    "guaranteed": None,
    "maximum": {"vcore": 21000, "memory": 610000},
    "properties": {},
}
WITHOUT = {"applications": 0, "guaranteed": None, "maximum": None, "properties": {}}
TEMPLATES = {
    "root": {**OPEN, "template": ROOT_TEMPLATE},
    "root.parent": {**PARENT, "template": OWN_TEMPLATE},
    "root.notemplate": PARENT,
    "root.leaf": {"template": OWN_TEMPLATE},
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("root.parent.sales", OF_PARENT),
        ("root.notemplate.sales", OF_ROOT),
        ("root.sales", OF_ROOT),
        ("root.parent.new.sales", OF_PARENT),
        ("root.parent.new", WITHOUT),
        ("root.leaf", WITHOUT),
    ],
)
def test_a_created_leaf_has_the_template_of_the_nearest_queue(
    path: str, expected: dict[str, Any]
) -> None:
    found = tree(TEMPLATES)
    create(found, "root.parent.new.sales")
    create(found, path)
    assert attributes(found, path) == expected


@pytest.mark.parametrize(
    ("template", "is_own"),
    [
        (Template(), False),
        (Template(properties={"": "x", "y": ""}), False),
        (Template(properties={"x": "1"}), True),
        (Template(applications=1), True),
        (Template(guaranteed={"memory": 0}), True),
        (Template(maximum={"memory": 0}), True),
    ],
)
def test_a_template_without_content_is_none(template: Template, is_own: bool) -> None:
    found = tree({"root": {"template": ROOT_TEMPLATE}, "root.p": {**PARENT, "template": template}})
    assert queue(found, "root.p").template == (template if is_own else ROOT_TEMPLATE)


def test_a_new_template_is_for_leaves_created_later() -> None:
    found = tree(TEMPLATES)
    create(found, "root.notemplate.x.before")
    later = {**TEMPLATES, "root": {**OPEN, "template": Template(applications=2)}}
    changes = found.update(spec(later))
    create(found, "root.notemplate.x.later")
    create(found, "root.parent.later")
    assert attributes(found, "root.notemplate.x.before") == OF_ROOT
    assert attributes(found, "root.notemplate.x.later") == {**WITHOUT, "applications": 2}
    assert attributes(found, "root.parent.later") == OF_PARENT
    assert summary(changes) == [
        ("changed", path, {"template": ROOT_TEMPLATE})
        for path in ("root", "root.notemplate", "root.notemplate.x")
    ]


def test_yunikorn_loses_an_inherited_template_with_the_next_config() -> None:
    quirk = Compatibility(template_lost_on_update=True)
    found = tree(TEMPLATES, quirk)
    create(found, "root.notemplate.before")
    create(found, "root.created.x")
    found.update(spec(TEMPLATES, compatibility=quirk))
    for path in ("root.notemplate.later", "root.created.later", "root.later"):
        create(found, path)
    assert attributes(found, "root.notemplate.before") == OF_ROOT
    assert attributes(found, "root.notemplate.later") == WITHOUT
    # A created queue keeps the template that it was created with.
    assert attributes(found, "root.created.later") == OF_ROOT
    assert attributes(found, "root.later") == OF_ROOT


# Tags.

QUOTA = "namespace.resourcequota"
GUARANTEED = "namespace.resourceguaranteed"
APPLICATIONS = "namespace.resourcemaxapps"


def amount(resource: str, value: object) -> str:
    """Return the text of a tag."""
    stated = str(value) if isinstance(value, int) else f'"{value}"'
    return f'{{"resources": {{"{resource}": {{"value": {stated}}}}}}}'


TEMPLATE = Template(applications=4, guaranteed={"memory": 1}, maximum={"memory": 9})


@pytest.mark.parametrize(
    ("tags", "guaranteed", "maximum", "applications"),
    [
        ({}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: amount("vcore", 5)}, None, {"vcore": 5}, 4),
        ({GUARANTEED: amount("vcore", 5)}, {"vcore": 5}, None, 4),
        (
            {QUOTA: amount("vcore", 7), GUARANTEED: amount("memory", 5)},
            {"memory": 5},
            {"vcore": 7},
            4,
        ),
        ({APPLICATIONS: "2"}, {"memory": 1}, {"memory": 9}, 2),
        ({APPLICATIONS: "0"}, {"memory": 1}, {"memory": 9}, 4),
        ({APPLICATIONS: "-2"}, {"memory": 1}, {"memory": 9}, 4),
        ({APPLICATIONS: "x"}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: "{}"}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: "not JSON"}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: "[" * 100_000}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: '{"resources": {"vcore": 5}}'}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: amount("vcore", -5)}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: amount("vcore", 2**63)}, {"memory": 1}, {"memory": 9}, 4),
        ({QUOTA: amount("vcore", "5")}, {"memory": 1}, {"memory": 9}, 4),
        ({GUARANTEED: amount("vcore", 0)}, {"memory": 1}, {"memory": 9}, 4),
    ],
)
def test_tags_override_the_template(
    tags: dict[str, str],
    guaranteed: dict[str, int] | None,
    maximum: dict[str, int] | None,
    applications: int,
) -> None:
    found = tree({"root": {**OPEN, "template": TEMPLATE}})
    create(found, "root.x")
    found.apply_tags(queue(found, "root.x"), tags)
    assert attributes(found, "root.x") == {
        "applications": applications,
        "guaranteed": guaranteed,
        "maximum": maximum,
        "properties": {},
    }


def test_a_quota_of_nothing_in_a_tag_is_no_quota_in_yunikorn() -> None:
    tags = {QUOTA: amount("vcore", 0)}
    for compatibility, maximum in ((Compatibility(), {"vcore": 0}), (YUNIKORN, {"memory": 9})):
        found = tree({"root": {**OPEN, "template": TEMPLATE}}, compatibility)
        create(found, "root.x")
        found.apply_tags(queue(found, "root.x"), tags)
        assert queue(found, "root.x").maximum == maximum


def test_the_tags_of_the_latest_application_count() -> None:
    found = tree({"root": OPEN})
    create(found, "root.x")
    leaf = queue(found, "root.x")
    found.apply_tags(leaf, {QUOTA: amount("vcore", 3)})
    changes = found.apply_tags(leaf, {QUOTA: amount("vcore", 5), APPLICATIONS: "2"})
    assert summary(changes) == [("changed", "root.x", {"maximum": {"vcore": 3}, "applications": 0})]
    assert found.apply_tags(leaf, {}) == []
    assert leaf.maximum == {"vcore": 5}


def test_tags_have_no_effect_on_queues_of_the_config() -> None:
    found = tree({"root": OPEN, "root.a": {}})
    assert found.apply_tags(queue(found, "root.a"), {QUOTA: amount("vcore", 3)}) == []


# Updates.


def test_a_queue_that_the_config_loses_drains_until_it_comes_back() -> None:
    queues = {"root": OPEN, "root.p": PARENT, "root.p.x": {"applications": 2}}
    found = tree(queues)
    create(found, "root.p.dynamic")
    active = QueueStatus.ACTIVE
    assert summary(found.update(spec({"root": OPEN}))) == [
        ("changed", "root.p", {"status": active}),
        ("changed", "root.p.x", {"status": active}),
    ]
    # A created leaf goes on, and takes applications.
    assert not queue(found, "root.p.dynamic").is_draining
    assert found.update(spec({"root": OPEN})) == []
    assert summary(found.update(spec(queues))) == [
        ("changed", path, {"status": QueueStatus.DRAINING}) for path in ("root.p", "root.p.x")
    ]


def test_an_update_replaces_what_the_config_states() -> None:
    found = tree(
        {
            "root": OPEN,
            "root.a": {
                "maximum": {"vcore": 5},
                "applications": 2,
                "submit": users("ann"),
                "properties": {"priority.offset": "3"},
            },
        }
    )
    before = queue(found, "root.a").settings
    changes = found.update(spec({"root": OPEN, "root.a": {"guaranteed": {"vcore": 1}}}))
    assert summary(changes) == [
        (
            "changed",
            "root.a",
            {
                "guaranteed": None,
                "maximum": {"vcore": 5},
                "applications": 2,
                "properties": {"priority.offset": "3"},
                "settings": before,
                "submit": users("ann"),
            },
        )
    ]


def test_properties_are_inherited_anew() -> None:
    queues = {
        "root": {"properties": {"application.sort.policy": "fair", "x": "1"}},
        "root.p": {"is_leaf": False, "properties": {"preemption.delay": "5s"}},
        "root.p.x": {},
    }
    found = tree(queues)
    leaf = queue(found, "root.p.x")
    assert leaf.properties == {
        "application.sort.policy": "fair",
        "x": "1",
        "preemption.delay": "5s",
    }
    found.update(spec({**queues, "root": {}}))
    assert leaf.properties == {"preemption.delay": "5s"}
    assert (leaf.settings.sort, leaf.settings.preemption_delay) == (SortPolicy.FIFO, 5_000)


def test_a_created_queue_that_the_config_gets_belongs_to_it() -> None:
    found = tree({"root": {**OPEN, "template": ROOT_TEMPLATE}})
    create(found, "root.x")
    found.update(spec({"root": OPEN, "root.x": {"applications": 3}}))
    assert attributes(found, "root.x") == {**WITHOUT, "applications": 3}
    assert queue(found, "root.x").is_managed
    assert found.clean(lambda each: True) == []


def test_a_leaf_gets_others_below_it_and_loses_them() -> None:
    found = tree({"root": OPEN, "root.a": {}})
    assert kinds(
        found.update(spec({"root": OPEN, "root.a": {}, "root.a.x": {}})), ChangeKind.CREATED
    ) == ["root.a.x"]
    above = queue(found, "root.a")
    assert (above.is_leaf, above.settings.sort) == (False, SortPolicy.FAIR)
    found.update(spec({"root": OPEN, "root.a": {}}))
    assert (above.is_leaf, above.settings.sort) == (True, SortPolicy.FIFO)
    assert queue(found, "root.a.x").is_draining


def test_yunikorn_keeps_the_first_maximum_of_applications_of_the_root() -> None:
    first = {
        "root": {"applications": 5},
        "root.root": {"applications": 4, "maximum": {"vcore": 5}, "guaranteed": {"vcore": 5}},
    }
    second = {
        "root": {"applications": 7},
        "root.root": {"applications": 6, "maximum": {"vcore": 6}},
    }
    found = tree(first)
    found.update(spec(second))
    assert found.root.applications == 7
    assert attributes(found, "root.root") == {
        **WITHOUT,
        "applications": 6,
        "maximum": {"vcore": 6},
    }
    quirk = Compatibility(first_root_applications=True)
    found = tree(first, quirk)
    found.update(spec(second, compatibility=quirk))
    assert found.root.applications == 5
    assert attributes(found, "root.root") == {**WITHOUT, "applications": 4}


def test_the_maximum_of_the_root_outlives_an_update() -> None:
    found = tree({"root": OPEN})
    found.set_root_maximum({"vcore": 7})
    assert found.update(spec({"root": OPEN})) == []
    assert found.root.maximum == {"vcore": 7}


# Removals.


def test_empty_created_and_draining_queues_go_with_those_above() -> None:
    found = tree({"root": OPEN, "root.p": PARENT, "root.p.x": {}, "root.keep": {}})
    create(found, "root.new.deep.q")
    create(found, "root.new.busy")
    found.update(spec({"root": OPEN, "root.keep": {}}))
    removed = found.clean(lambda each: each.name != "busy")
    assert kinds(removed, ChangeKind.REMOVED) == [
        "root.new.deep.q",
        "root.new.deep",
        "root.p.x",
        "root.p",
    ]
    assert list(found.queues) == ["root", "root.keep", "root.new", "root.new.busy"]
    assert list(queue(found, "root.new").children) == ["busy"]
    assert kinds(found.clean(lambda each: True), ChangeKind.REMOVED) == [
        "root.new.busy",
        "root.new",
    ]


def test_only_queues_without_others_below_are_asked_for_applications() -> None:
    found = tree({"root": OPEN})
    create(found, "root.new.q")
    asked: list[str] = []

    def is_empty(each: RuntimeQueue) -> bool:
        asked.append(each.path)
        return False

    assert found.clean(is_empty) == []
    assert asked == ["root.new.q"]
