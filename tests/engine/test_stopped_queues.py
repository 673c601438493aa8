"""Inactive queues: held, stopped, draining, misconfigured, or closed to a namespace."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.reasons import EXCEEDS_MAX_QUOTA
from console.engine.disciplines.quota.spec import QuotaSettings, Undeclared, quota_policy, spec_of
from console.engine.model.common_reasons import QUEUE_HELD, QUEUE_STOPPED
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import EVERYTHING
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting, PriorityClass
from console.engine.routing.reasons import NAMESPACE_NOT_ALLOWED
from console.engine.routing.rule_routing import route_by, rules_of
from tests.engine.builders import ANY, QueueBuilder, World, only, policy, queue


def test_stopped_queue_admits_nothing_and_keeps_running_workloads() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("a", gpu=1)
    world.settle()
    world.apply(queue("train").owns(gpu=4).stopped()).submit("b", gpu=1)
    assert world.settle() == ["b: pending (queue_stopped)"]
    assert world.outcomes() == {"a": "admitted on any", "b": "pending (queue_stopped)"}
    world.apply(queue("train").owns(gpu=4))
    assert world.settle() == ["b: admitted on any"]


def test_draining_queue_preempts_its_running_workloads() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("a", "b", gpu=2)
    world.settle()
    world.apply(queue("train").owns(gpu=4).stopped(StopPolicy.HOLD_AND_DRAIN))
    assert world.settle() == ["a: drained", "b: drained"]
    assert [each.preemptor for each in world.decisions] == [None, None]
    assert world.free() == "0"
    world.release("a")
    assert world.settle() == ["a: pending (queue_stopped)"]
    assert world.free() == "2"
    world.apply(queue("train").owns(gpu=4))
    assert world.settle() == ["a: admitted on any"]
    world.release("b")
    assert world.settle() == ["b: admitted on any"]


def test_workloads_are_drained_once() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("a", gpu=2)
    world.settle()
    stopped = queue("train").owns(gpu=4).stopped(StopPolicy.HOLD_AND_DRAIN)
    assert world.apply(stopped).settle() == ["a: drained"]
    assert world.apply(stopped).settle() == []


def test_a_stopped_queue_lends_and_is_not_preempted_in() -> None:
    world = World(
        queue("owner").owns(gpu=4).reclaims(ANY).within("ml"),
        queue("guest").owns(gpu=1).within("ml"),
    )
    world.submit("g", to="guest", gpu=5)
    world.settle()
    world.apply(
        queue("owner").owns(gpu=4).reclaims(ANY).within("ml"),
        queue("guest").owns(gpu=1).within("ml").stopped(),
    )
    world.submit("o", to="owner", gpu=4)
    assert world.settle() == ["o: pending (waiting_for_quota)"]
    world.finish("g")
    assert world.settle() == ["o: admitted on any"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_hold_by_a_person_is_not_a_stop_by_the_config(strict: bool) -> None:
    owner = queue("train").owns(gpu=2)
    world = World(owner.strict() if strict else owner)
    world.hold("train").submit("a", gpu=1)
    assert world.settle() == ["a: pending (queue_held)"]
    world.resume("train")
    assert world.settle() == ["a: admitted on any"]


def test_a_queue_with_a_missing_flavor_admits_nothing_and_says_which() -> None:
    owner = queue("train").owns("spot", gpu=4).owns("gone", gpu=4)
    whole = policy(owner)
    broken = quota_policy(
        "kueue",
        flavors={"spot": spec_of(whole).flavors["spot"]},
        queues=whole.queues,
        routing=route_by(rules_of(whole)),
    )
    world = World(policy_=broken)
    world.submit("a", gpu=1)
    assert world.settle() == ["a: pending (queue_misconfigured)"]
    step = world.decisions[0].trace.queue
    assert step is not None
    assert step.missing_flavor == "gone"
    world.apply(policy_=whole)
    assert world.settle() == ["a: admitted on spot"]


def test_a_strict_queue_blocks_itself_and_no_other() -> None:
    world = World(
        queue("train").owns(gpu=4).new_group().owns("c", cpu=4).strict().within("ml"),
        queue("eval").owns(gpu=4).within("ml"),
    )
    world.submit("holder", gpu=8)
    world.settle()
    world.submit("big", gpu=4, priority=5).submit("other", cpu=1).submit("e", to="eval", gpu=0)
    assert world.settle() == [
        "e: admitted",
        "big: pending (waiting_for_quota)",
        "other: pending (behind_others)",
    ]
    order = world.state.explain("other").order
    assert order is not None
    assert (order.position, order.strict, order.blocked_by) == (2, True, "big")
    world.finish("holder")
    assert world.settle() == ["big: admitted on any", "other: admitted on c"]


def test_next_of_a_strict_queue_follows_a_withdrawn_head() -> None:
    world = World(queue("train").owns(gpu=2).strict())
    world.submit("too-big", gpu=3).submit("small", gpu=1)
    assert world.settle() == [
        "too-big: pending (exceeds_max_quota)",
        "small: pending (behind_others)",
    ]
    world.withdraw("too-big")
    assert world.settle() == ["small: admitted on any"]


# Local queues


def local_queues(
    *owners: QueueBuilder, stop: StopPolicy = StopPolicy.NONE, classes: dict[str, int] | None = None
) -> Policy:
    """Return a policy: ``team/main`` is for the first queue, ``team/gone`` for a missing one."""
    first = owners[0].name
    local = {
        ("team", "main"): LocalQueue(namespace="team", name="main", queue=first, stop=stop),
        ("other", "main"): LocalQueue(namespace="other", name="main", queue=first),
        ("team", "gone"): LocalQueue(namespace="team", name="gone", queue="nowhere"),
    }
    return policy(
        *owners,
        routing=LocalQueueRouting(
            local_queues=local,
            queue_label="queue",
            priority_label="class",
            namespaces={"team": {"kind": "ml"}},
            priority_classes={
                name: PriorityClass(name=name, value=value)
                for name, value in (classes or {}).items()
            },
        ),
        settings=QuotaSettings(undeclared=Undeclared.BLOCK, zeros_take_flavors=True),
    )


def open_to_all() -> QueueBuilder:
    return queue("train").owns(gpu=4).allows_namespaces(EVERYTHING)


def test_workload_without_queue_gets_one_decision_until_the_policy_changes() -> None:
    world = World(policy_=local_queues(open_to_all()))
    world.submit("lost", to="none", namespace="team", gpu=1)
    world.submit("typo", to="main", namespace="team", labels={"class": "hihg"}, gpu=1)
    world.submit("dangling", to="gone", namespace="team", gpu=1)
    assert world.settle() == [
        "lost: pending (local_queue_missing)",
        "typo: pending (priority_class_missing)",
        "dangling: pending (local_queue_missing)",
    ]
    assert {each.queue for each in world.decisions} == {None}
    world.submit("fine", to="main", namespace="team", gpu=1)
    assert world.settle() == ["fine: admitted on any"]
    assert world.outcomes()["lost"] == "pending (local_queue_missing)"
    world.apply(policy_=local_queues(open_to_all(), classes={"hihg": 7}))
    assert world.settle() == ["typo: admitted on any"]
    assert world.decisions[0].priority == 7
    world.withdraw("lost", "dangling")
    assert world.settle() == []


def test_disallowed_namespace_is_pending_and_blocks_no_workload() -> None:
    owner = queue("train").owns(gpu=1).allows_namespaces(only(kind="ml")).strict()
    world = World(policy_=local_queues(owner))
    world.submit("guest", to="main", namespace="other", gpu=1, priority=9)
    world.submit("a", "b", to="main", namespace="team", gpu=1)
    assert world.settle() == [
        "a: admitted on any",
        "guest: pending (namespace_not_allowed)",
        "b: pending (waiting_for_quota)",
    ]
    assert world.decisions[1].queue == "train"
    world.finish("a")
    assert world.settle() == ["b: admitted on any"]
    world.apply(policy_=local_queues(queue("train").owns(gpu=2).allows_namespaces(EVERYTHING)))
    assert world.settle() == ["guest: admitted on any"]


def test_inactive_queue_comes_before_a_disallowed_namespace() -> None:
    owner = queue("train").owns(gpu=1).allows_namespaces(only(kind="ml"))
    world = World(policy_=local_queues(owner.stopped()))
    world.submit("guest", to="main", namespace="other", gpu=1)
    assert world.settle() == ["guest: pending (queue_stopped)"]
    assert world.state.explain("guest").outcome.reason is QUEUE_STOPPED
    world.apply(policy_=local_queues(queue("train").owns(gpu=1).allows_namespaces(only(kind="ml"))))
    world.settle()
    assert world.state.explain("guest").outcome.reason is NAMESPACE_NOT_ALLOWED
    world.hold("train")
    world.settle()
    # The hold of a person hides no mistake in the config.
    assert world.state.explain("guest").outcome.reason is NAMESPACE_NOT_ALLOWED


def test_workloads_of_a_stopped_local_queue_are_pending() -> None:
    world = World(policy_=local_queues(open_to_all(), stop=StopPolicy.HOLD))
    world.submit("a", to="main", namespace="team", gpu=1)
    world.submit("b", to="main", namespace="other", gpu=1)
    assert sorted(world.settle()) == ["a: pending (queue_stopped)", "b: admitted on any"]
    world.apply(policy_=local_queues(open_to_all()))
    assert world.settle() == ["a: admitted on any"]


def test_draining_local_queue_preempts_its_workloads() -> None:
    world = World(policy_=local_queues(open_to_all()))
    world.submit("a", to="main", namespace="team", gpu=1)
    world.submit("b", to="main", namespace="other", gpu=1)
    world.settle()
    world.apply(policy_=local_queues(open_to_all(), stop=StopPolicy.HOLD_AND_DRAIN))
    assert world.settle() == ["a: drained"]
    world.release("a")
    assert world.settle() == ["a: pending (queue_stopped)"]
    assert world.outcomes()["b"] == "admitted on any"


def test_after_a_hold_a_workload_has_the_reason_of_its_namespace_again() -> None:
    closed = queue("train").owns(gpu=4).allows_namespaces(only(kind="other"))
    world = World(policy_=local_queues(closed))
    world.submit("a", to="main", namespace="team", gpu=1)
    assert world.settle() == ["a: pending (namespace_not_allowed)"]
    (cls,) = world.state.queue("train").pending.classes.values()

    def reason() -> str | None:
        return cls.verdict.reason if cls.verdict is not None else None

    world.hold("train").settle()
    assert reason() == NAMESPACE_NOT_ALLOWED
    world.resume("train").settle()
    assert reason() == NAMESPACE_NOT_ALLOWED


def test_a_hold_keeps_the_reason_of_workloads_that_can_never_run() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("huge", gpu=5).submit("small", gpu=1).hold("train")
    assert sorted(world.settle()) == [
        "huge: pending (exceeds_max_quota)",
        "small: pending (queue_held)",
    ]
    world.submit("later", gpu=6)
    assert world.settle() == ["later: pending (exceeds_max_quota)"]
    pending = world.state.queue("train").pending
    assert pending.cannot_run() == 2
    assert world.state.explain("later").order.position is None
    assert world.state.explain("small").order.position == 1
    # Another quota lets it run after the hold.
    world.apply(queue("train").owns(gpu=8)).settle()
    assert world.state.explain("huge").outcome.reason is QUEUE_HELD
    world.resume("train").settle()
    assert world.outcomes()["huge"] == "admitted on any"


def test_a_hold_after_the_evaluation_keeps_that_a_workload_can_never_run() -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("huge", gpu=5).settle()
    world.hold("train").settle()
    (cls,) = world.state.queue("train").pending.classes.values()
    assert cls.verdict is not None
    assert cls.verdict.reason is EXCEEDS_MAX_QUOTA
    world.resume("train").settle()
    assert cls.verdict.reason is EXCEEDS_MAX_QUOTA
