"""Clusters reach the engine: the inventory of its state follows the rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.capacity.models import Cluster as ClusterRow
from console.capacity.queries.inventory import load_inventory, refresh_inventory
from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.mark_silent_clusters import mark_silent_clusters
from console.capacity.services.record_heartbeat import record_heartbeat
from console.capacity.services.report_cluster import report_cluster
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.nodes import Taint, TaintEffect
from console.engine.state import State
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Intake
from console.workloads.services import run_engine as running
from console.workloads.services.load_state import load_state

Settle = Callable[[Organization], int]


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[Inventory]:
    """The inventories that engines took over, in order."""
    taken: list[Inventory] = []
    original = State.change_inventory

    def change(state: State, inventory: Inventory) -> None:
        taken.append(inventory)
        original(state, inventory)

    monkeypatch.setattr(State, "change_inventory", change)
    running.forget_states()
    return taken


def warm(org: Organization) -> Inventory:
    """Return the inventory of the state that the worker keeps."""
    found = running._warm.get(org.pk)
    assert found is not None
    return found.state.inventory


def nodes(*names: str, **more: Any) -> dict[str, Any]:
    return {"nodes": [{"name": name} for name in names], **more}


def test_a_report_reaches_the_engine(
    operator: Actor, settle: Settle, changes: list[Inventory]
) -> None:
    org = operator.org
    settle(org)
    taint = {"key": "k", "effect": "NoExecute"}
    node = {"name": "n", "labels": {"a": "b"}, "taints": [taint], "allocatable": {"cpu": "1500m"}}
    row = report_cluster(
        operator, "east", {"labels": {"c": "d"}, "nodes": [node, {"name": "m", "ready": False}]}
    ).cluster

    settle(org)

    east = Cluster(
        name="east",
        labels={"c": "d"},
        nodes=(
            Node(
                name="n",
                labels={"a": "b"},
                taints=(Taint("k", "", TaintEffect.NO_EXECUTE),),
                offered={"cpu": 1500},
            ),
            Node(name="m", is_ready=False),
        ),
        sequence=row.pk,
        version=1,
    )
    assert changes == [Inventory(clusters={"east": east})]
    assert warm(org) == changes[0] == load_state(org, 0).inventory
    assert not Intake.objects.exists()


def test_the_engine_gets_what_other_schedulers_leave(operator: Actor, settle: Settle) -> None:
    node = {
        "name": "n",
        "allocatable": {"cpu": 4, "gpu": 1, "memory": 8},
        "taken": {"cpu": 1, "gpu": 2, "disk": 1},
    }
    report_cluster(operator, "east", {"nodes": [node]})
    settle(operator.org)
    (found,) = warm(operator.org).clusters["east"].nodes
    assert found.offered == {"cpu": 3000, "memory": 8000}


def test_only_changed_clusters_and_nodes_are_replaced(
    operator: Actor, settle: Settle, changes: list[Inventory]
) -> None:
    org = operator.org
    report_cluster(operator, "west", nodes("w"))
    report_cluster(operator, "east", nodes("a", "b", "c"))
    settle(org)
    before = warm(org)
    changed = {"name": "b", "labels": {"x": "y"}}
    report_cluster(operator, "east", {"nodes": [changed, {"name": "c"}, {"name": "d"}]})

    settle(org)

    after = warm(org)
    assert [*after.clusters] == ["west", "east"]
    assert after.clusters["west"] is before.clusters["west"]
    east = after.clusters["east"].nodes
    assert [node.name for node in east] == ["b", "c", "d"]
    assert east[0].labels == {"x": "y"}
    assert east[1] is before.clusters["east"].nodes[2]
    assert after == load_inventory(org.pk)
    assert len(changes) == 2


def test_one_batch_takes_over_all_changes_at_once(
    operator: Actor, settle: Settle, changes: list[Inventory]
) -> None:
    org = operator.org
    report_cluster(operator, "east", nodes("a"))
    report_cluster(operator, "west", nodes("b"))
    delete_cluster(operator, "east")
    report_cluster(operator, "east", nodes("c"))
    settle(org)
    assert [[*each.clusters] for each in changes] == [["west", "east"]]
    delete_cluster(operator, "west")
    report_cluster(operator, "west", nodes("b"))
    settle(org)
    assert [*warm(org).clusters] == ["east", "west"]
    delete_cluster(operator, "west")
    settle(org)
    assert [*warm(org).clusters] == ["east"]


def test_a_repeated_report_is_no_fact(
    operator: Actor, settle: Settle, changes: list[Inventory]
) -> None:
    report_cluster(operator, "east", nodes("a"))
    settle(operator.org)
    report_cluster(operator, "east", nodes("a"))
    record_heartbeat(operator, "east")
    settle(operator.org)
    assert len(changes) == 1


@pytest.mark.parametrize("state", ["ready", "draining", "error"])
def test_the_state_of_a_cluster_says_whether_it_accepts_pods(
    operator: Actor, settle: Settle, state: str
) -> None:
    report_cluster(operator, "east", nodes("a", state=state))
    settle(operator.org)
    east = warm(operator.org).clusters["east"]
    is_ready = state == "ready"
    assert (east.is_ready, east.status) == (is_ready, "" if is_ready else state)


def test_a_silent_cluster_accepts_no_pods_until_its_next_heartbeat(
    operator: Actor, settle: Settle
) -> None:
    org = operator.org
    report_cluster(operator, "east", nodes("a", state="draining"))
    record_heartbeat(operator, "east")
    settle(org)
    before = warm(org).clusters["east"].nodes[0]
    row = ClusterRow.objects.get()
    ClusterRow.objects.update(last_seen=row.last_seen - timedelta(hours=1))
    mark_silent_clusters()
    settle(org)
    east = warm(org).clusters["east"]
    assert (east.is_ready, east.status, east.version) == (False, "silent", 2)
    assert east.nodes[0] is before
    record_heartbeat(operator, "east")
    settle(org)
    assert warm(org).clusters["east"].status == "draining"


def test_an_organization_without_clusters_needs_one_query(org: Organization) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert load_inventory(org.pk) == Inventory()
    assert len(queries) == 1


def test_an_inventory_that_is_up_to_date_needs_one_query(operator: Actor) -> None:
    report_cluster(operator, "east", nodes("a"))
    known = load_inventory(operator.org.pk)
    with CaptureQueriesContext(connection) as queries:
        assert refresh_inventory(operator.org.pk, known) is known
    assert len(queries) == 1


def test_organizations_have_their_own_inventories(
    operator: Actor, other_org: Organization, settle: Settle
) -> None:
    report_cluster(operator, "east", nodes("a"))
    report_cluster(Actor.from_command(other_org), "west", nodes("b"))
    settle(operator.org)
    settle(other_org)
    assert [[*warm(org).clusters] for org in (operator.org, other_org)] == [["east"], ["west"]]
