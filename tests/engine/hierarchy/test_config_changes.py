"""What a change of the config means for applications that are there already."""

from __future__ import annotations

from typing import Final

import pytest

from console.engine.disciplines.hierarchy.spec import YUNIKORN, AccessList
from tests.engine.hierarchy.builders import rule
from tests.engine.hierarchy.worlds import History, config, fields

CAPACITY: Final = 10
QUEUES: Final = {"root.a": fields(), "root.b": fields()}


def started(queues=QUEUES, capacity: int = CAPACITY) -> History:
    """Return a history with an application in root.a that has two pods."""
    found = History(queues, capacity, YUNIKORN)
    found.submit("app", "root.a")
    found.ask("app", 1, 1)
    found.settle()
    assert found.running("app") == [2]
    return found


def statuses(found: History) -> dict[str, str]:
    """Return the status of each queue."""
    return {path: usage.queue.status.value for path, usage in found.world.usages.items()}


def test_a_removed_queue_drains_until_it_is_empty() -> None:
    found = started()
    found.update({"root.b": fields()}, YUNIKORN)
    assert statuses(found) == {"root": "Active", "root.a": "Draining", "root.b": "Active"}
    # Its applications go on, also with new asks; others are refused.
    found.ask("app", 1)
    found.settle()
    assert found.running("app") == [3]
    refused = found.submit("later", "root.a")
    assert refused == (
        "failed to place application later: application rejected: no placement rule matched"
    )
    found.world.wait(60_000)
    assert "root.a" in found.world.usages
    list(found.world.remove("app"))
    found.world.wait(10_000)
    assert list(found.world.usages) == ["root", "root.b"]


def test_a_queue_that_comes_back_takes_applications() -> None:
    found = started()
    found.update({"root.b": fields()}, YUNIKORN)
    found.update(QUEUES, YUNIKORN)
    assert found.submit("later", "root.a") is None
    assert set(statuses(found).values()) == {"Active"}


def test_a_maximum_below_the_usage_stops_nothing() -> None:
    found = started()
    found.update({"root.a": fields(maximum=1)}, YUNIKORN)
    found.ask("app", 1)
    assert found.settle() == []
    assert (found.used("root.a"), found.running("app")) == ([2], [2])


def test_a_number_of_applications_below_the_running_ones_stops_none() -> None:
    found = started()
    found.submit("second", "root.a")
    found.ask("second", 1)
    found.settle()
    found.update({"root.a": fields(applications=1)}, YUNIKORN)
    found.submit("third", "root.a")
    for app in ("app", "third"):
        found.ask(app, 1)
    found.settle()
    assert found.states("app", "second", "third") == ["Running", "Running", "Accepted"]
    assert found.running("app", "second", "third") == [3, 1, 0]


def test_the_applications_of_a_leaf_that_gets_children_are_stranded() -> None:
    found = started()
    found.update({"root.a": fields(), "root.a.x": fields()}, YUNIKORN)
    found.ask("app", 1)
    found.submit("below", "root.a.x")
    found.ask("below", 1)
    found.settle()
    assert found.running("app", "below") == [2, 1]
    assert found.used("root.a", "root.a.x") == [3, 1]


def test_a_queue_that_becomes_a_leaf_takes_applications_and_strands_those_below() -> None:
    queues = {"root.a": fields(), "root.a.x": fields()}
    found = History(queues, CAPACITY, YUNIKORN)
    found.submit("below", "root.a.x")
    found.ask("below", 1)
    found.settle()
    found.update({"root.a": fields()}, YUNIKORN)
    found.ask("below", 1)
    assert found.submit("app", "root.a") is None
    found.ask("app", 1)
    found.settle()
    assert statuses(found)["root.a.x"] == "Draining"
    assert found.running("below", "app") == [1, 1]


def test_created_leaves_of_a_removed_queue_stay_active_and_get_no_siblings() -> None:
    creating = rule("provided", creates=True)
    before = config({"root.a": {"is_leaf": False}}, YUNIKORN, [creating])
    found = History({}, CAPACITY, YUNIKORN)
    found.world.update(before)
    found.submit("app", "root.a.x")
    found.world.update(config({"root.b": fields()}, YUNIKORN, [creating]))
    assert statuses(found) == {
        "root": "Active",
        "root.a": "Draining",
        "root.a.x": "Active",
        "root.b": "Active",
    }
    assert found.submit("second", "root.a.x") is None
    found.ask("second", 1)
    found.settle()
    assert found.running("second") == [1]
    assert found.submit("third", "root.a.y") == (
        "failed to create rule based queue root.a.y for application third\n"
        "dynamic queue creation failed: cannot add a child queue when queue is marked for "
        "deletion: root.a"
    )


def test_a_change_of_access_is_for_later_applications() -> None:
    found = started()
    found.update({"root": {"submit": AccessList()}, **QUEUES}, YUNIKORN)
    assert found.submit("later", "root.a") is not None
    found.ask("app", 1)
    found.settle()
    assert found.running("app") == [3]


@pytest.mark.parametrize("maximum", [None, 3])
def test_a_queue_without_room_starts_pods_when_its_maximum_is_raised(maximum: int | None) -> None:
    found = started({"root.a": fields(maximum=2)})
    found.ask("app", 1)
    assert found.settle() == []
    found.update({"root.a": fields(maximum=maximum)}, YUNIKORN)
    assert [event.do for event in found.settle()] == ["allocate"]
