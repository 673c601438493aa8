"""Properties of diffs: equal policies have none, and different policies report every difference."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.objects import (
    compare_policies,
    effective_text,
    flows_between,
    objects_of,
    renames_between,
)
from console.engine.disciplines.quota.policy_objects import Noun
from console.engine.disciplines.quota.spec import with_spec
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import route_by, rules_of
from tests.engine.change_application import apply_changes, facts_of, without_empty_values
from tests.engine.strategies import policies, worlds


def sample_policies() -> list[Policy]:
    """Return the policies of all samples of all dialects."""
    found = []
    for dialect in dialects().values():
        for sample in dialect.samples().values():
            policy = dialect.read(sample, {}).policy
            assert policy is not None
            found.append(policy)
    return found


SAMPLES = sample_policies()


@st.composite
def edited(draw: st.DrawFn, policy: Policy) -> Policy:
    """Draw a small edit of *policy*: a rename, another order, or one rule fewer."""
    match draw(st.integers(0, 5)):
        case 0 if policy.queues:
            return _renamed(policy, draw(st.sampled_from(list(policy.queues))))
        case 1 if len(rules_of(policy)) > 1:
            order = draw(st.permutations(rules_of(policy)))
            rules = tuple(replace(rule, index=index) for index, rule in enumerate(order))
            return replace(policy, routing=route_by(rules))
        case 2 if rules_of(policy):
            left = [*rules_of(policy)]
            left.remove(draw(st.sampled_from(left)))
            rules = tuple(replace(rule, index=index) for index, rule in enumerate(left))
            return replace(policy, routing=route_by(rules))
        case 3 if policy.queues:
            name = draw(st.sampled_from(list(policy.queues)))
            queue = policy.queues[name]
            groups = tuple(
                replace(group, flavors=tuple(draw(st.permutations(group.flavors))))
                for group in queue.groups
            )
            return with_spec(policy, queues={**policy.queues, name: replace(queue, groups=groups)})
        case _:
            return policy


def _renamed(policy: Policy, name: str) -> Policy:
    renamed = with_spec(
        policy,
        queues={
            f"{each}-2" if each == name else each: (
                replace(queue, name=f"{each}-2") if each == name else queue
            )
            for each, queue in policy.queues.items()
        },
    )
    routing = route_by(
        replace(rule, queue=f"{name}-2") if rule.queue == name else rule
        for rule in rules_of(policy)
    )
    return replace(renamed, routing=routing)


@worlds(100)
@given(data=st.data())
def test_changes_applied_to_the_old_policy_give_the_new_one(data: st.DataObject) -> None:
    old = data.draw(policies())
    new = data.draw(st.one_of(policies(), edited(old)))
    changes = compare_policies(old, new)
    assert without_empty_values(apply_changes(old, changes)) == without_empty_values(facts_of(new))
    assert bool(changes) == (
        without_empty_values(facts_of(old)) != without_empty_values(facts_of(new))
    )
    assert compare_policies(old, old) == ()


def test_changes_between_samples_are_complete() -> None:
    # `apply_changes` knows the facts of quota.
    samples = [each for each in SAMPLES if each.discipline == "quota"]
    pairs = [(old, new) for old in samples for new in samples if old.dialect == new.dialect]
    for old, new in pairs:
        changes = compare_policies(old, new)
        assert without_empty_values(apply_changes(old, changes)) == without_empty_values(
            facts_of(new)
        )
        assert bool(changes) == (old is not new)


@worlds(100)
@given(data=st.data())
def test_the_effective_text_differs_when_the_meaning_does(data: st.DataObject) -> None:
    old = data.draw(policies())
    new = data.draw(st.one_of(policies(), edited(old)))
    is_same = effective_text(old) == effective_text(new)
    assert not is_same or not compare_policies(old, new)
    assert effective_text(old) == effective_text(replace(old, routing=route_by(rules_of(old))))


@worlds(100)
@given(data=st.data())
def test_renamed_queue_is_one_change_that_affects_no_workload(data: st.DataObject) -> None:
    old = data.draw(policies())
    name = data.draw(st.sampled_from(list(old.queues)))
    new = _renamed(old, name)
    facts = [
        (change.kind.value, change.name, change.old_name) for change in compare_policies(old, new)
    ]
    has_evidence = old.queues[name].groups or any(rule.queue == name for rule in rules_of(old))
    if has_evidence:
        assert facts == [("renamed", f"{name}-2", name)]
        known = renames_between(old, new).apply(objects_of(old))
        assert known.of(Noun.QUEUE).keys() == new.queues.keys()
        assert flows_between(old, new).flows == ()


def test_details_are_what_json_can_say() -> None:
    for old in SAMPLES:
        for new in SAMPLES:
            for change in compare_policies(old, new):
                for detail in change.details:
                    values = [getattr(detail, side, None) for side in ("old", "new")]
                    assert json.dumps(values, default=repr)
