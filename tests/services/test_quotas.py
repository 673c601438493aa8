"""Quota as pages and the API show it: the numbers of queues and pools agree in any tree."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from console.engine.model.amounts import Unlimited
from console.engine.model.policy import Policy
from console.workloads.queries import quotas
from console.workloads.queries.quotas import Accounts
from tests.engine.quota_trees import KEY, worlds

#: Drawing a tree takes a while on a busy machine.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def accounts_of(world: tuple[Policy, dict[str, int]]) -> Accounts:
    config, used = world
    return Accounts(config, {name: {KEY: amount} for name, amount in used.items()})


@given(worlds())
@PATIENT
def test_every_queue_shows_numbers_that_agree(world: tuple[Policy, dict[str, int]]) -> None:
    accounts = accounts_of(world)
    for name, amount in world[1].items():
        (usage,) = accounts.usages(name, {KEY[1]: 7})
        assert (usage.key, usage.used, usage.demand) == (KEY, amount, 7)
        assert usage.is_sound
        assert usage.own + usage.borrowed + usage.over == usage.used
        assert usage.own <= usage.nominal
        assert usage.own + usage.lent <= usage.nominal
        assert not (usage.borrowed and usage.lent)
        assert usage.limit >= usage.nominal
        if usage.used <= usage.limit and isinstance(usage.available, int):
            # The limit is what is available when nobody else uses anything.
            assert usage.used + usage.available <= usage.limit


@given(worlds())
@PATIENT
def test_every_pool_shows_numbers_that_agree(world: tuple[Policy, dict[str, int]]) -> None:
    accounts = accounts_of(world)
    usages = {name: accounts.usages(name, {KEY[1]: 1}) for name in world[0].queues}
    trees = accounts.trees
    for name in world[0].cohorts:
        (pool,) = accounts.pools(name, usages)
        assert pool.nominal == pool.owned + pool.deposited
        assert pool.is_sound
        assert pool.own + pool.borrowed + pool.over == pool.used
        assert min(pool.own, pool.borrowed, pool.over, pool.lent) >= 0
        assert pool.own + pool.lent <= pool.nominal
        assert not (pool.borrowed and pool.lent)
        assert pool.demand == len(trees.queues_below(name))
        inner = [accounts.pools(each, usages)[0] for each in trees.cohorts(name)]
        direct = [usages[each][0] for each in trees.queues(name)]
        assert pool.over == sum(each.over for each in (*inner, *direct))
        if name in trees.roots:
            assert (pool.borrowed, pool.lent, pool.limit) == (0, 0, pool.nominal)
            if not isinstance(pool.nominal, Unlimited):
                assert pool.available == max(0, pool.nominal - pool.used)


@given(worlds(), worlds())
@PATIENT
def test_what_is_kept_of_accounts_is_what_would_be_computed(
    one: tuple[Policy, dict[str, int]], two: tuple[Policy, dict[str, int]]
) -> None:
    config, amounts = one
    idle: dict[str, int] = {}
    # The same again; with other usage; another policy in between; and what was wanted changes.
    for (policy, used), wanted in (
        (one, 1),
        (one, 1),
        ((config, idle), 1),
        (two, 2),
        (one, 3),
        ((config, amounts), 0),
    ):
        by_queue = {name: {KEY: amount} for name, amount in used.items()}
        kept, fresh = quotas.accounts_of(policy, by_queue), Accounts(policy, by_queue)
        told = [
            (
                each.loans,
                usages := {name: each.usages(name, {KEY[1]: wanted}) for name in policy.queues},
                {name: each.pools(name, usages) for name in policy.cohorts},
            )
            for each in (kept, fresh)
        ]
        assert told[0] == told[1]


def test_accounts_are_kept_as_long_as_nothing_changes() -> None:
    policy, other = Policy(dialect="any"), Policy(dialect="any")
    first = quotas.accounts_of(policy, {"gone": {KEY: 1}})
    assert quotas.accounts_of(policy, {"gone": {KEY: 1}}) is first
    assert quotas.accounts_of(other, {"gone": {KEY: 1}}) is not first
    assert quotas.accounts_of(policy, {"gone": {KEY: 2}}) is not first
