"""What pending workloads of a queue lack, and what stays available to it, after a change."""

from __future__ import annotations

from console.engine.impact.binding import resource_balances
from console.engine.impact.live import live_impact
from console.engine.model.amounts import UNLIMITED
from tests.engine.builders import World, cohort, policy, queue


def balances(world: World, name: str = "train") -> dict[str, tuple[object, ...]]:
    """Return used, entitled, demand, available and whether it binds, by resource."""
    return {
        each.resource: (each.used, each.entitled, each.demand, each.available, each.binds)
        for each in resource_balances(world.state, name)
    }


def test_the_resource_that_is_full_binds_and_the_other_stays_available() -> None:
    world = World(queue("train").owns(gpu=2, cpu=8)).submit("a", "b", "c", "d", gpu=1, cpu=3)
    live_impact(world.state, policy(queue("train").owns(gpu=5, cpu=8)))
    # Two fit in the CPUs, so two of five GPUs are used.
    assert balances(world) == {
        "gpu": (2000, 5000, 2000, 3000, False),
        "cpu": (6000, 8000, 6000, 2000, True),
    }


def test_all_flavors_of_a_resource_count_together() -> None:
    world = World(queue("train").owns("spot", gpu=1).owns("fixed", gpu=2))
    world.submit("a", "b", "c", "d", gpu=1).settle()
    assert balances(world) == {"gpu": (3000, 3000, 1000, 0, True)}


def test_unused_quota_of_the_cohort_is_available() -> None:
    world = World(queue("train").within("ml").owns(gpu=1), queue("serve").within("ml").owns(gpu=4))
    world.submit("a", gpu=1).submit("other", to="serve", gpu=1).settle()
    assert balances(world) == {"gpu": (1000, 4000, 0, 3000, False)}


def test_an_unlimited_resource_never_binds() -> None:
    world = World(queue("train").owns(gpu=1, cpu=None)).submit("a", "b", gpu=1, cpu=1)
    world.settle()
    assert balances(world)["cpu"] == (1000, UNLIMITED, 1000, UNLIMITED, False)


def test_workloads_that_can_never_start_request_nothing() -> None:
    world = World(queue("train").owns(gpu=2)).submit("a", "b", gpu=2).submit("huge", gpu=64)
    world.settle()
    assert balances(world) == {"gpu": (2000, 2000, 2000, 0, True)}


def test_a_missing_queue_has_no_resources() -> None:
    world = World(queue("train").owns(gpu=1))
    assert resource_balances(world.state, "gone") == ()


def test_a_cohort_has_the_resources_and_requests_of_its_queues() -> None:
    world = World(
        queue("train").within("ml").owns(gpu=1),
        queue("serve").within("ml").owns(gpu=1),
        cohort("ml").owns(gpu=2),
    )
    world.submit("a", "b", "c", gpu=1).submit("d", "e", to="serve", gpu=1).settle()
    assert balances(world, "ml") == {"gpu": (4000, 4000, 1000, 0, True)}
