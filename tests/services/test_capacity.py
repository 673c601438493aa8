"""The capacity cache of pages and the API equals a new computation."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from console.engine.disciplines import load_discipline
from console.engine.disciplines.quota.spec import quota_policy, spec_of
from console.engine.model.policy import Policy
from console.workloads.queries.capacity import capacity_of
from tests.engine.quota_trees import KEY, worlds

#: Drawing a tree is slow on a busy machine.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(worlds(), worlds())
@PATIENT
def test_a_cached_capacity_equals_a_computed_one(
    one: tuple[Policy, dict[str, int]], two: tuple[Policy, dict[str, int]]
) -> None:
    config, amounts = one
    idle: dict[str, int] = {}
    # The same again; other usage; another policy in between; and changed demand.
    for (policy, used), wanted in (
        (one, 1),
        (one, 1),
        ((config, idle), 1),
        (two, 2),
        (one, 3),
        ((config, amounts), 0),
    ):
        by_queue = {name: {KEY: amount} for name, amount in used.items()}
        kept = capacity_of(policy, by_queue)
        fresh = load_discipline(policy.discipline).capacity(policy, by_queue)
        told = [
            (
                each.loans,
                queues := {
                    name: each.queue_nodes(name, {KEY[1]: wanted}) for name in policy.queues
                },
                {name: each.cohort_nodes(name, queues) for name in spec_of(policy).cohorts},
            )
            for each in (kept, fresh)
        ]
        assert told[0] == told[1]


def test_a_capacity_is_cached_until_something_changes() -> None:
    policy, other = quota_policy("any"), quota_policy("any")
    first = capacity_of(policy, {"gone": {KEY: 1}})
    assert capacity_of(policy, {"gone": {KEY: 1}}) is first
    assert capacity_of(other, {"gone": {KEY: 1}}) is not first
    assert capacity_of(policy, {"gone": {KEY: 2}}) is not first
