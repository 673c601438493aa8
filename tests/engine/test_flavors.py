"""Flavor assignment in traces: the verdict and the numbers of every flavor."""

from __future__ import annotations

from console.engine.disciplines.quota.spec import (
    Flavor,
    FungibilityPolicy,
    QuotaSettings,
    Undeclared,
)
from console.engine.disciplines.quota.trace import FlavorTried, QuotaCheck, quota_facts
from console.engine.model.amounts import UNLIMITED
from console.engine.model.nodes import Taint, Toleration
from console.engine.model.trace import FlavorVerdict
from console.engine.model.workload import PodSet
from tests.engine.builders import World, only, pods, policy, queue, thousandths

V = FlavorVerdict


def flavor_verdicts(world: World, name: str) -> list[list[tuple[str, FlavorVerdict]]]:
    """Return flavors and verdicts of a workload's last decision, for each resource group."""
    trace = next(each.trace for each in reversed(world.decisions) if each.workload == name)
    return [
        [(each.flavor, each.verdict) for each in step.flavors] for step in quota_facts(trace).groups
    ]


def only_flavor(world: World, name: str) -> FlavorTried:
    """Return the only flavor that was tried for *name*."""
    ((flavor,),) = [step.flavors for step in quota_facts(world.state.explain(name)).groups]
    return flavor


def only_check(world: World, name: str) -> QuotaCheck:
    """Return the only quota check of *name*."""
    (check,) = only_flavor(world, name).checks
    return check


def test_flavors_are_tried_in_listed_order_until_one_is_good_enough() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=10).preempts())
    world.submit("low", gpu=3)
    world.settle()
    assert flavor_verdicts(world, "low") == [[("spot", V.FITS), ("od", V.NOT_REACHED)]]
    world.submit("high", gpu=3, priority=5)
    world.settle()
    assert flavor_verdicts(world, "high") == [[("spot", V.PREEMPT), ("od", V.FITS)]]
    world.submit("big", gpu=12)
    world.settle()
    assert flavor_verdicts(world, "big") == [[("spot", V.EXCEEDS_MAX), ("od", V.EXCEEDS_MAX)]]


def test_queue_may_prefer_preemption_to_the_next_flavor() -> None:
    world = World(
        queue("train")
        .owns("spot", gpu=4)
        .owns("od", gpu=9)
        .preempts()
        .fungibility(preempt=FungibilityPolicy.MAY_STOP)
    )
    world.submit("low", gpu=3)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    assert flavor_verdicts(world, "high") == [[("spot", V.PREEMPT), ("od", V.NOT_REACHED)]]


def test_the_numbers_of_a_shortage() -> None:
    world = World(queue("train").owns("spot", gpu=4))
    world.submit("a", gpu=3).submit("b", gpu=2)
    world.settle()
    check = only_check(world, "b")
    assert (check.requested, check.nominal, check.used, check.available) == (2000, 4000, 3000, 1000)
    assert (check.maximum, check.missing, check.verdict) == (4000, 1000, V.NO_CANDIDATES)


def test_usage_beyond_quota_leaves_none_available() -> None:
    world = World(queue("train").owns("spot", gpu=9))
    world.submit("a", gpu=7)
    world.settle()
    world.apply(queue("train").owns("spot", gpu=4)).submit("b", gpu=2)
    world.settle()
    check = only_check(world, "b")
    assert (check.used, check.available, check.missing) == (7000, 0, 2000)


def test_unlimited_quota_always_fits() -> None:
    world = World(queue("train").owns("spot", gpu=None))
    world.submit("a", gpu=900)
    world.settle()
    (check,) = quota_facts(world.decisions[0].trace).groups[0].flavors[0].checks
    assert (check.verdict, check.available, check.maximum) == (V.FITS, UNLIMITED, UNLIMITED)


def test_flavor_has_the_verdict_of_its_worst_resource() -> None:
    world = World(queue("train").owns("spot", gpu=4, cpu=1))
    world.submit("a", gpu=4).submit("b", gpu=1, cpu=2)
    world.settle()
    flavor = only_flavor(world, "b")
    assert {each.resource: each.verdict for each in flavor.checks} == {
        "gpu": V.NO_CANDIDATES,
        "cpu": V.EXCEEDS_MAX,
    }
    assert flavor.verdict is V.EXCEEDS_MAX


def test_f7_later_pod_sets_see_what_earlier_ones_take() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=10))
    world.submit("a", pod_sets=(pods("leader", gpu=3), pods("workers", gpu=3)))
    assert world.settle() == ["a: admitted with 1 leader on spot, 1 workers on od"]
    assert flavor_verdicts(world, "a") == [
        [("spot", V.FITS), ("od", V.NOT_REACHED)],
        [("spot", V.EXCEEDS_MAX), ("od", V.FITS)],
    ]


def test_pod_set_group_takes_one_flavor() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=10))
    both = (pods("leader", gpu=3, together="all"), pods("workers", gpu=3, together="all"))
    world.submit("a", pod_sets=both)
    assert world.settle() == ["a: admitted with 1 leader on od, 1 workers on od"]


def test_f10_fewer_pods_start_where_not_all_fit() -> None:
    world = World(queue("train").owns(cpu=10))
    world.submit("used", cpu=3)
    job = (pods("driver", cpu=1), pods("workers", 10, at_least=2, cpu=1))
    world.submit("job", pod_sets=job).submit("next", cpu=1)
    assert world.settle() == [
        "used: admitted on any",
        "job: admitted with 1 driver on any, 6 workers on any",
        "next: pending (waiting_for_quota)",
    ]
    assert dict(world.state.usage("train")) == {("any", "cpu"): 10_000}
    world.finish("job")
    world.submit("again", pod_sets=job)
    assert world.settle() == [
        "next: admitted on any",
        "again: admitted with 1 driver on any, 5 workers on any",
    ]


def test_workload_is_pending_if_the_minimum_does_not_fit() -> None:
    world = World(queue("train").owns(cpu=4))
    world.submit("used", cpu=3).submit("job", pod_sets=(pods("workers", 10, at_least=2, cpu=1),))
    assert world.settle() == ["used: admitted on any", "job: pending (waiting_for_quota)"]
    world.finish("used")
    assert world.settle() == ["job: admitted with 4 workers on any"]


def test_preemption_for_all_pods_comes_before_partial_admission() -> None:
    world = World(queue("train").owns(cpu=4).preempts())
    world.submit("low", cpu=2)
    world.settle()
    world.submit("job", pod_sets=(pods("workers", 4, at_least=1, cpu=1),), priority=5)
    assert world.settle() == ["low: preempted by job", "job: waits for low to stop"]
    world.release("low")
    assert world.settle()[0] == "job: admitted with 4 workers on any"


def test_pods_are_a_resource_where_a_group_covers_them() -> None:
    world = World(queue("train").owns("spot", cpu=100, pods=4))
    world.submit("a", pod_sets=(pods("workers", 3, cpu=1),))
    world.submit("b", pod_sets=(pods("workers", 2, cpu=1),)).submit("c", cpu=1)
    assert world.settle() == [
        "a: admitted with 3 workers on spot",
        "c: admitted on spot",
        "b: pending (waiting_for_quota)",
    ]
    assert dict(world.state.usage("train")) == {("spot", "cpu"): 4000, ("spot", "pods"): 4000}


def test_f12_resource_group_without_requests_is_ignored() -> None:
    world = World(queue("train").owns("spot", gpu=4).new_group().owns("node", cpu=1))
    world.submit("a", gpu=1, cpu=0, tpu=7)
    assert world.settle() == ["a: admitted on spot"]
    assert len(quota_facts(world.decisions[0].trace).groups) == 1


def test_empty_request_fits_without_a_flavor() -> None:
    world = World(queue("train").owns("spot", gpu=0))
    world.submit("a")
    assert world.settle() == ["a: admitted"]
    assert quota_facts(world.decisions[0].trace).groups == ()


def test_zero_request_takes_a_flavor_if_the_policy_says_so() -> None:
    settings = QuotaSettings(zeros_take_flavors=True, undeclared=Undeclared.BLOCK)
    world = World(queue("train").owns("spot", gpu=4, cpu=4), settings=settings)
    world.submit("a", gpu=0, cpu=1)
    assert world.settle() == ["a: admitted on spot"]
    assert dict(world.decisions[0].assignment[0].flavors) == {"gpu": "spot", "cpu": "spot"}


def test_f11_uncovered_resource_blocks_if_the_policy_says_so() -> None:
    settings = QuotaSettings(undeclared=Undeclared.BLOCK)
    world = World(queue("train").owns("spot", cpu=4), settings=settings)
    world.submit("a", cpu=1, gpu=1).submit("b", cpu=1)
    assert world.settle() == ["b: admitted on spot", "a: pending (no_flavor_matched)"]
    assert quota_facts(world.decisions[1].trace).undeclared == "gpu"


def nodes(*pod_sets: PodSet) -> World:
    """Submit *pod_sets* to a queue of two flavors, the first of them tainted."""
    flavors = {
        "spot": Flavor(name="spot", node_labels={"type": "spot"}, taints=(Taint("spot"),)),
        "od": Flavor(name="od", node_labels={"type": "od"}),
    }
    owner = queue("train").owns("spot", gpu=4).owns("od", gpu=4)
    world = World(policy_=policy(owner, flavors=flavors))
    return world.submit("a", pod_sets=pod_sets)


def test_f14_taints_and_node_labels_exclude_pods() -> None:
    tolerates = (Toleration(key="spot", operator="Exists"),)
    one = thousandths(gpu=1)
    for pod_set, said in (
        (PodSet(requests=one), "admitted on od"),
        (PodSet(requests=one, tolerations=tolerates), "admitted on spot"),
        (PodSet(requests=one, node_selector={"type": "od", "zone": "z"}), "admitted on od"),
        (PodSet(requests=one, node_selector={"type": "spot"}), "pending (no_flavor_matched)"),
    ):
        assert nodes(pod_set).settle() == [f"a: {said}"]


def test_obstacles_are_in_the_trace() -> None:
    world = nodes(PodSet(requests=thousandths(gpu=1), node_selector={"type": "spot"}))
    world.settle()
    first, second = quota_facts(world.decisions[0].trace).groups[0].flavors
    assert (first.verdict, first.taint) == (V.TAINT_NOT_TOLERATED, "spot:NoSchedule")
    assert second.verdict is V.LABELS_DO_NOT_MATCH
    assert second.failed is not None
    assert (second.failed.key, second.failed.actual) == ("type", "od")


def test_a_flavor_whose_selector_fails_is_skipped_with_its_expression() -> None:
    flavors = {"off": only(never="so")}
    owner = queue("train").owns("off", gpu=4).owns("od", gpu=4)
    world = World(policy_=policy(owner, flavors=flavors)).submit("a", gpu=1)
    assert world.settle() == ["a: admitted on od"]
    first, second = quota_facts(world.decisions[0].trace).groups[0].flavors
    assert (first.verdict, first.checks, second.verdict) == (V.SELECTOR_FALSE, (), V.FITS)
    assert first.failed is not None
    assert (first.failed.key, first.failed.actual) == ("never", None)
