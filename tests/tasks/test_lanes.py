"""Lanes: who is nudged is decided for in turn, with one message for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from celery import current_app
from kombu.exceptions import OperationalError
from redis import Redis
from structlog.testing import capture_logs

from console import broker as broker_module
from console.celery import lane_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import nudge, tasks
from console.workloads.lease import leased
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services import run_lane as run_lane_module
from console.workloads.services.run_engine import Ran, forget_states
from console.workloads.services.run_lane import run_lane
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.brokers import serving_broker

LANE = "admission-0"
#: Organizations of that lane, and one of another.
FIRST, SECOND, THIRD = [number for number in range(100) if lane_of(number) == LANE][:3]
ELSEWHERE = next(number for number in range(100) if lane_of(number) != LANE)


@pytest.fixture(autouse=True)
def _long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_lane_module, "TURN", 60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_broker(tmp_path_factory.mktemp("b")) as url:
        yield url


@pytest.fixture
def broker(server: str, settings) -> Iterator[Redis]:
    """The broker that the console speaks to, with nothing in it."""
    settings.REDIS_URL = server
    broker_module.client.cache_clear()
    client = Redis.from_url(server)
    client.flushall()
    yield client
    broker_module.client.cache_clear()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lanes that a message was sent to."""
    messages: list[str] = []

    def send_task(name: str, args: list[str], queue: str, expires: int) -> None:
        assert (name, args, expires) == (nudge.ADMIT, [queue], 60)
        messages.append(queue)

    monkeypatch.setattr(current_app, "send_task", send_task)
    return messages


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The organizations whose engines ran; none has work left."""
    orgs: list[int] = []

    def run_engine(org_id: int) -> Ran:
        orgs.append(org_id)
        return Ran(0, False)

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    return orgs


def test_one_message_for_all_of_a_lane(broker: Redis, sent: list[str], ran: list[int]) -> None:
    for org in (SECOND, FIRST, SECOND, ELSEWHERE, THIRD, FIRST):
        nudge.send(org)
    assert sent == [LANE, lane_of(ELSEWHERE)]
    tasks.admit(LANE)
    assert ran == [SECOND, FIRST, THIRD]
    tasks.admit(LANE)
    tasks.admit(lane_of(ELSEWHERE))
    assert ran == [SECOND, FIRST, THIRD, ELSEWHERE]
    assert broker.keys() == []


def test_who_comes_while_the_lane_is_run_needs_no_message(
    broker: Redis, sent: list[str], ran: list[int]
) -> None:
    nudge.send(FIRST)
    assert nudge.next_of(LANE) == FIRST
    nudge.send(FIRST)
    nudge.send(SECOND)
    assert (nudge.next_of(LANE), nudge.next_of(LANE)) == (FIRST, SECOND)
    assert sent == [LANE]
    assert nudge.next_of(LANE) is None
    nudge.send(FIRST)
    assert sent == [LANE, LANE]


def test_a_message_that_is_lost_is_believed_for_two_seconds(
    broker: Redis, sent: list[str], ran: list[int]
) -> None:
    nudge.send(FIRST)
    awake = f"sluice:awake:{LANE}"
    assert 0 < broker.pttl(awake) <= 2000
    # As that time does.
    broker.delete(awake)
    nudge.send(SECOND)
    assert sent == [LANE, LANE]
    run_lane(LANE)
    assert ran == [FIRST, SECOND]


def test_a_lane_makes_room_when_its_turn_is_over(
    broker: Redis, sent: list[str], ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lane_module, "TURN", 0)
    nudge.send(FIRST)
    nudge.send(SECOND)
    run_lane(LANE)
    assert (ran, sent) == ([FIRST], [LANE, LANE])
    # Its message is on the way: whoever comes needs none.
    nudge.send(FIRST)
    assert sent == [LANE, LANE]
    run_lane(LANE)
    run_lane(LANE)
    assert ran == [FIRST, SECOND, FIRST]


def test_who_has_work_left_goes_to_the_end(
    broker: Redis, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def run_engine(org_id: int) -> Ran:
        ran.append(org_id)
        return Ran(1, ran.count(FIRST) < 3)

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    nudge.send(FIRST)
    nudge.send(SECOND)
    nudge.send(THIRD)
    run_lane(LANE)
    assert ran == 3 * [FIRST, SECOND, THIRD]


def test_an_engine_that_fails_keeps_nobody_else_waiting(
    broker: Redis, sent: list[str], ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = run_lane_module.run_engine

    def run_engine(org_id: int) -> Ran:
        if org_id == FIRST:
            raise ZeroDivisionError
        return others(org_id)

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    nudge.send(FIRST)
    nudge.send(SECOND)
    with pytest.raises(ZeroDivisionError):
        run_lane(LANE)
    assert (ran, sent) == ([], [LANE, LANE])
    run_lane(LANE)
    assert ran == [SECOND]


def test_only_who_has_the_lease_asks_again(
    broker: Redis,
    sent: list[str],
    org: Organization,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lane = lane_of(org.pk)
    monkeypatch.setattr(run_lane_module, "TURN", 0)
    monkeypatch.setattr(run_engine_module, "BATCH", 1)
    monkeypatch.setattr(run_engine_module, "_more_time", lambda deadline: False)
    forget_states()
    for name in ("a", "b"):
        submit_workloads(owner, [Submission(name=name, requests={"gpu": 1000})])
    with leased(org.pk):
        nudge.send(org.pk)
        run_lane(lane)
    assert nudge.next_of(lane) is None
    nudge.send(org.pk)
    run_lane(lane)
    assert nudge.next_of(lane) == org.pk
    forget_states()


def test_a_broker_that_is_away_is_logged(settings, sent: list[str], ran: list[int]) -> None:
    broker_module.client.cache_clear()
    settings.REDIS_URL = "unix:///dev/null/broker.sock"
    with capture_logs() as logs:
        nudge.send(FIRST)
        run_lane(LANE)
    broker_module.client.cache_clear()
    event = "no nudge, the sweep asks again"
    assert [(row["event"], row.get("org"), row.get("lane")) for row in logs] == [
        (event, FIRST, None),
        (event, None, LANE),
    ]
    assert (sent, ran) == ([], [])


def test_a_message_that_the_broker_refuses_is_logged(
    broker: Redis, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("no room")

    monkeypatch.setattr(current_app, "send_task", refuse)
    with capture_logs() as logs:
        nudge.send(FIRST)
        nudge.wake(LANE)
    assert [row["error"] for row in logs] == ["no room", "no room"]
    run_lane(LANE)
    assert ran == [FIRST]
