"""Editor assistance of every dialect agrees with the policy that its parser compiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.assist import Names, assist
from console.dialects.base import Dialect
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import rules_of
from tests.dialects.test_contract import EVERY, RELAXED, mutated_samples

SAMPLES = [
    pytest.param(dialect, text, id=f"{dialect.name}: {title}")
    for dialect in dialects().values()
    for title, text in dialect.samples().items()
]


def policy_of(dialect: Dialect, text: str) -> Policy:
    """Return the policy of a valid text."""
    policy = dialect.read(text, {}).policy
    assert policy is not None
    return policy


def described(names: Names, kind: str) -> list[tuple[str, int]]:
    """Return name and line of the objects of one kind."""
    return [(item.name, item.line) for item in names.items if item.kind == kind]


@pytest.mark.parametrize(("dialect", "text"), SAMPLES)
def test_outline_equals_the_compiled_objects(dialect: Dialect, text: str) -> None:
    policy, names = policy_of(dialect, text), assist(dialect, text).names
    objects = dialect.objects(policy)
    assert [name for name, _ in described(names, "flavor")] == list(objects.of("flavor"))
    # A language with one queue for all workloads has no text for it.
    assert [name for name, _ in described(names, "queue")] == [
        queue.name for queue in policy.queues.values() if queue.origin is not None
    ]
    assert {name for name, _ in described(names, "cohort")} == objects.of("cohort").keys()
    assert [name for name, _ in described(names, "rule")] == [
        rule.queue for rule in rules_of(policy)
    ]
    routing = local_routing_of(policy)
    if routing is not None:
        local = [name for _, name in routing.local_queues]
        assert [name for name, _ in described(names, "local queue")] == local
        classes = [name for name, _ in described(names, "priority class")]
        assert classes == list(routing.priority_classes)


@pytest.mark.parametrize(("dialect", "text"), SAMPLES)
def test_its_objects_contain_the_lines_the_policy_comes_from(dialect: Dialect, text: str) -> None:
    policy, names = policy_of(dialect, text), assist(dialect, text).names
    objects = dialect.objects(policy)
    for kind in ("queue", "flavor"):
        for name, found in objects.of(kind).items():
            item = names.described(kind, name)
            if kind == "queue" and found.origin is None:
                assert item is None
                continue
            assert item is not None
            assert found.origin is not None
            assert item.line <= found.origin.line <= item.end_line, (kind, name)


@pytest.mark.parametrize(("dialect", "text"), SAMPLES)
def test_references_are_completed_with_object_names(dialect: Dialect, text: str) -> None:
    assistant = assist(dialect, text)
    for reference in assistant.names.references[:20]:
        found = assistant.complete(reference.line, reference.column)
        known = assistant.names.known(reference.kind, reference.line, reference.column)
        assert [each.label for each in found if each.kind == reference.kind] == known
        told = assistant.explain(reference.line, reference.column)
        assert told is not None
        assert (told.facts.refers_to, told.name) == (reference.kind, reference.name)


@EVERY
def test_an_empty_text_is_completed_and_every_key_is_explained(dialect: Dialect) -> None:
    first = assist(dialect, "").complete(1, 1)
    assert first
    for each in first:
        typed = assist(dialect, each.insert)
        found = typed.complete(1, len(each.label) + 1)
        assert each.label in [again.label for again in found]


@EVERY
@RELAXED
@given(text=mutated_samples(), line=st.integers(0, 60), column=st.integers(0, 40))
def test_help_never_fails_whatever_the_text(
    dialect: Dialect, text: str, line: int, column: int
) -> None:
    assistant = assist(dialect, text)
    offered = assistant.complete(line, column)
    assert len({each.label for each in offered}) == len(offered)
    told = assistant.explain(line, column)
    assert told is None or told.line == line
