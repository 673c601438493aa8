"""Laws of trees and placement, in random trees with random rules, names and histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.hierarchy.placement import Application, Verdict, place
from console.engine.disciplines.hierarchy.spec import (
    YUNIKORN,
    AccessList,
    Compatibility,
    Filter,
    HierarchySpec,
    Names,
    PlacementRule,
    RuleKind,
    Template,
)
from console.engine.disciplines.hierarchy.submission import Submission, submit
from console.engine.disciplines.hierarchy.tree import QUEUE_NAME, RuntimeTree
from tests.engine.hierarchy.builders import spec

NAMES = st.sampled_from(["a", "b", "ann", "default", "root", "@recovery@"])
TEXTS = st.lists(
    st.sampled_from(["root", "a", "b", "ann", "new", "@recovery@", "default"]), max_size=4
).map(".".join).flatmap(lambda text: st.sampled_from([text, text.upper()])) | st.text(max_size=8)
USERS = st.sampled_from(["ann", "bob", "", "a.b"]) | st.text(max_size=6)
ACCESS = st.builds(
    AccessList,
    is_all_users=st.booleans(),
    users=st.frozensets(st.sampled_from(["ann", "bob"])),
    groups=st.frozensets(st.sampled_from(["dev"])),
)
AMOUNTS = st.none() | st.dictionaries(st.sampled_from(["vcore", "x"]), st.integers(0, 3))
TEMPLATES = st.none() | st.builds(
    Template,
    applications=st.integers(0, 2),
    maximum=AMOUNTS,
    guaranteed=AMOUNTS,
    properties=st.dictionaries(st.just("application.sort.policy"), st.just("fair")),
)
FIELDS = st.fixed_dictionaries(
    {"submit": ACCESS, "admin": ACCESS, "template": TEMPLATES, "maximum": AMOUNTS},
    optional={"applications": st.integers(0, 3)},
)
FILTERS = st.just(Filter()) | st.builds(
    Filter,
    is_deny=st.booleans(),
    users=st.just(Names(names=frozenset({"ann"}))),
    stated_users=st.just(("ann",)),
)


@st.composite
def placement_rules(draw: st.DrawFn, depth: int = 2) -> PlacementRule:
    """Return a rule, maybe with one for the queue above."""
    kinds = [RuleKind.PROVIDED, RuleKind.USER, RuleKind.TAG, RuleKind.FIXED]
    kind = draw(st.sampled_from(kinds))
    value = {RuleKind.TAG: "team", RuleKind.FIXED: draw(st.sampled_from(["a", "root.b", "a.b"]))}
    parent = draw(st.none() | placement_rules(depth - 1)) if depth else None
    return PlacementRule(
        kind=kind,
        value=value.get(kind, ""),
        creates=draw(st.booleans()),
        filter=draw(FILTERS),
        parent=parent,
    )


RULES = st.lists(placement_rules(), max_size=3)


@st.composite
def specs(draw: st.DrawFn) -> HierarchySpec:
    """Return a spec of a few queues of two levels."""
    queues: dict[str, Mapping[str, Any]] = {"root": draw(FIELDS)}
    for name in draw(st.lists(NAMES, unique=True, max_size=4)):
        queues[f"root.{name}"] = draw(FIELDS)
        for below in draw(st.lists(NAMES, unique=True, max_size=2)):
            queues[f"root.{name}.{below}"] = draw(FIELDS)
    return spec(queues, compatibility=draw(st.sampled_from([Compatibility(), YUNIKORN])))


@st.composite
def applications(draw: st.DrawFn) -> Application:
    """Return an application with any texts."""
    return Application(
        id="app",
        user=draw(USERS),
        groups=tuple(draw(st.lists(st.sampled_from(["dev", "qa"]), max_size=2))),
        queue=draw(TEXTS),
        tags=draw(st.dictionaries(st.sampled_from(["team", "TEAM", "x"]), TEXTS)),
        is_forced=draw(st.booleans()),
    )


HISTORIES = st.tuples(specs(), st.lists(specs() | applications(), max_size=8), RULES)


def played(history: tuple[HierarchySpec, list[HierarchySpec | Application], list[PlacementRule]]):
    """Yield the tree and each submission of a history."""
    first, events, rules = history
    tree = RuntimeTree.build(first)
    for event in events:
        if isinstance(event, HierarchySpec):
            tree.update(event)
        else:
            yield tree, submit(tree, rules, event, (), "default")
    yield tree, None


@given(HISTORIES)
def test_a_tree_is_whole(history) -> None:
    for tree, submission in played(history):
        for path, queue in tree.queues.items():
            assert queue.path == path
            if queue.parent is None:
                assert queue is tree.root
            else:
                assert path == f"{queue.parent.path}.{queue.name}"
                assert queue.parent.children[queue.name] is queue
                assert queue.depth == queue.parent.depth + 1
        below = sum(len(queue.children) for queue in tree.queues.values())
        assert below == len(tree.queues) - 1
        if submission is not None:
            check(tree, submission)


def check(tree: RuntimeTree, submission: Submission) -> None:
    """Check that a submission has a queue that takes it, or a message."""
    assert (submission.queue is None) is bool(submission.message)
    queue = submission.queue
    if queue is None:
        return
    assert tree.find(queue.path) is tree.find(queue.path.upper()) is queue
    assert queue.is_leaf
    assert queue.path == queue.path.lower()
    assert all(QUEUE_NAME.fullmatch(each.queue.name) for each in submission.changes)
    application, placement = submission.application, submission.placement
    assert placement is not None
    assert placement.attempts[-1].verdict is Verdict.ACCEPTED
    if not application.is_forced or queue.path != "root.@recovery@":
        assert not queue.is_draining
    if queue.path != "root.@recovery@":
        assert queue.may_submit(application.user, application.groups)


@given(specs(), RULES, applications())
def test_placement_changes_nothing_and_creation_is_done_once(
    stated: HierarchySpec, rules: list[PlacementRule], application: Application
) -> None:
    tree = RuntimeTree.build(stated)
    before = list(tree.queues)
    placement = place(tree, rules, application)
    assert list(tree.queues) == before
    assert place(tree, rules, application) == placement
    first = submit(tree, rules, application, (), "default")
    after = list(tree.queues)
    assert after == [*before, *(each.queue.path for each in first.changes)]
    if first.queue is not None and first.queue.path != "root.@recovery@":
        assert tree.create(first.queue.path, "nobody", ()) == []
        assert tree.restore(first.queue.path) == []
        assert submit(tree, rules, application, (), "default").queue is not None
    assert list(tree.queues)[: len(after)] == after


@given(specs(), applications(), st.data())
def test_a_stated_path_finds_its_queue_in_any_case(
    stated: HierarchySpec, application: Application, data: st.DataObject
) -> None:
    tree = RuntimeTree.build(stated)
    path = data.draw(st.sampled_from(list(tree.queues)))
    queue, below = tree.queues[path], path.removeprefix("root.")
    spelled = data.draw(st.sampled_from([path, f"root.{below.upper()}", f"root.{below.title()}"]))
    application = replace(application, queue=spelled, is_forced=False)
    placement = place(tree, [PlacementRule(kind=RuleKind.PROVIDED)], application)
    if queue.is_leaf and queue.may_submit(application.user, application.groups):
        assert placement.queue == path
    else:
        assert placement.queue in (None, "root.default", "root.root")
        is_default = placement.queue == "root.default"
        assert placement.queue is None or is_default or path == "root"


@given(specs(), RULES, st.lists(applications(), max_size=4))
def test_created_queues_go_when_they_are_empty(
    stated: HierarchySpec, rules: list[PlacementRule], submitted: list[Application]
) -> None:
    tree = RuntimeTree.build(stated)
    before = list(tree.queues)
    for application in submitted:
        submit(tree, rules, application, (), "default")
    created = set(tree.queues) - set(before)
    assert {each.queue.path for each in tree.clean(lambda queue: True)} == created
    assert list(tree.queues) == before


@given(specs(), specs())
def test_an_update_leads_to_the_tree_of_its_config(
    first: HierarchySpec, second: HierarchySpec
) -> None:
    tree = RuntimeTree.build(first)
    tree.update(second)
    tree.clean(lambda queue: True)
    fresh = RuntimeTree.build(second)
    assert set(tree.queues) == set(fresh.queues)
    if not second.compatibility.template_lost_on_update:
        found = {path: queue.template for path, queue in tree.queues.items()}
        assert found == {path: queue.template for path, queue in fresh.queues.items()}
        assert tree.update(second) == []
