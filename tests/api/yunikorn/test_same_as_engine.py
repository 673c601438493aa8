"""What the protocol tells about queues, users and nodes is what the engine itself counts."""

from __future__ import annotations

from typing import Any

from console.engine.disciplines.hierarchy.live_world import world_of
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.requests import PODS
from console.engine.disciplines.hierarchy.resources import Resources, without_zeros
from console.engine.disciplines.hierarchy.users import Use
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.services.load_state import load_state
from tests.api.conftest import Api
from tests.api.yunikorn.conftest import Busy
from tests.conftest import settled, with_token


def submit_more(busy: Busy, org: Organization, owner: Actor) -> None:
    """Submit workloads of several users and priorities to all leaf queues, and run the engine."""
    queues = ("root.team.a", "root.team.b", "gpu:root.c", "")
    workloads: list[dict[str, Any]] = [
        {
            "name": f"more-{number}",
            "type": "job",
            "user": ("ann", "bob", "cid")[number % 3],
            "groups": [("dev", "ops")[number % 2]],
            "namespace": f"space-{number % 2}",
            "priority": number % 3,
            "tags": {"queue": queues[number % 4]} if queues[number % 4] else {},
            "pod_sets": [{"name": "w", "count": 1 + number % 3, "requests": {"cpu": 0.4}}],
        }
        for number in range(16)
    ]
    answer = Api(with_token(owner), org.slug).post("workloads", {"workloads": workloads})
    assert answer.status == 202
    settled(org)


def told_by_engine(usage: QueueUsage) -> tuple[Any, ...]:
    """Return what the engine counts in a queue."""
    return (
        without_zeros(usage.allocated),
        without_zeros(usage.pending),
        usage.running,
        usage.priority,
        without_pods(usage.headroom() or {}),
        without_pods(usage.queue.maximum or {}),
    )


def without_pods(amounts: Resources) -> Resources:
    """Return amounts without those of pods, which nodes of the tests do not report."""
    return {name: amount for name, amount in amounts.items() if name != PODS}


def told_by_protocol(queue: dict[str, Any]) -> tuple[Any, ...]:
    """Return the same from an answer."""
    return (
        queue.get("allocatedResource", {}),
        queue.get("pendingResource", {}),
        queue.get("runningApps", 0),
        queue["currentPriority"],
        queue.get("headroom", {}),
        queue.get("maxResource", {}),
    )


def flat(queue: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a queue and those below it by path."""
    found = {queue["queuename"]: queue}
    for each in queue.get("children", ()):
        found |= flat(each)
    return found


def uses_of(tree: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return usage and applications of each queue that are not empty, by path."""
    use = tree.get("resourceUsage", {}), tree.get("runningApplications", [])
    found = {tree["queuePath"]: use} if any(use) else {}
    for each in tree.get("children", ()):
        found |= uses_of(each)
    return found


def uses(by_path: Any) -> dict[str, tuple[Any, ...]]:
    """Return the same from the engine's usage."""
    found: dict[str, tuple[Any, ...]] = {}
    for path, use in by_path.items():
        assert isinstance(use, Use)
        if use.applications:
            found[path] = without_zeros(use.resources), sorted(use.applications)
    return found


def test_queues_users_and_nodes_are_those_of_the_engine(
    busy: Busy, org: Organization, owner: Actor
) -> None:
    submit_more(busy, org, owner)
    state = load_state(org, 1)
    assert state.settle() == []
    world = world_of(state)
    for name, partition in world.partitions.items():
        path = f"partition/{name}"
        queues = flat(busy.rest.read(f"{path}/queues"))
        expected = {each: told_by_engine(usage) for each, usage in partition.usages.items()}
        assert {each: told_by_protocol(queue) for each, queue in queues.items()} == expected
        users = busy.rest.read(f"{path}/usage/users")
        groups = busy.rest.read(f"{path}/usage/groups")
        assert {each["userName"]: uses_of(each["queues"]) for each in users} == {
            user: found
            for user, by_path in partition.users.users.items()
            if (found := uses(by_path))
        }
        assert {each["groupName"]: uses_of(each["queues"]) for each in groups} == {
            group: found
            for group, by_path in partition.users.groups.items()
            if (found := uses(by_path))
        }
        nodes = {each["nodeID"]: each for each in busy.rest.read(f"{path}/nodes")}
        for node in partition.scheduler.nodes:
            found = nodes.pop(world.places[node.name][1])
            assert found.get("allocated", {}) == without_zeros(node.allocated)
        assert nodes == {}
