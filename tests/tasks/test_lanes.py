"""Lanes: who is nudged is decided for in turn, with one message for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from celery import current_app
from kombu.exceptions import OperationalError
from redis import Redis
from structlog.testing import capture_logs

from console import broker as broker_module
from console.celery import QUEUES, lane_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.piles import MOST
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


@dataclass
class Sent:
    """Messages that the broker was given, in their order."""

    lanes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def last(self, lane: str) -> str:
        """Return the name of the latest message of a lane."""
        return next(
            name
            for each, name in zip(self.lanes[::-1], self.names[::-1], strict=True)
            if each == lane
        )


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Every message that was sent."""
    messages = Sent()

    def send_task(name: str, args: list[str], queue: str, expires: int) -> None:
        lane, message = args
        assert (name, lane, expires) == (nudge.ADMIT, queue, 60)
        messages.lanes.append(lane)
        messages.names.append(message)

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


def test_one_message_for_all_of_a_lane(broker: Redis, sent: Sent, ran: list[int]) -> None:
    for org in (SECOND, FIRST, SECOND, ELSEWHERE, THIRD, FIRST):
        nudge.send(org)
    assert sent.lanes == [LANE, lane_of(ELSEWHERE)]
    tasks.admit(LANE, sent.names[0])
    assert ran == [SECOND, FIRST, THIRD]
    tasks.admit(lane_of(ELSEWHERE), sent.names[1])
    assert ran == [SECOND, FIRST, THIRD, ELSEWHERE]
    assert sent.lanes == [LANE, lane_of(ELSEWHERE)]
    assert broker.keys() == []


def test_who_comes_while_a_worker_is_at_it_has_another_message_sent(
    broker: Redis, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second worker of the lane takes it up at once; a first one has seen to it by then."""
    ran: list[int] = []

    def run_engine(org_id: int) -> Ran:
        ran.append(org_id)
        if len(ran) == 1:
            nudge.send(FIRST)
            nudge.send(SECOND)
            assert sent.lanes == [LANE, LANE]
        return Ran(1, False)

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    nudge.send(FIRST)
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, FIRST, SECOND]
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, FIRST, SECOND]
    assert (sent.lanes, broker.keys()) == ([LANE, LANE], [])


def test_no_message_is_added_to_a_pile(broker: Redis, sent: Sent, ran: list[int]) -> None:
    broker.rpush(LANE, *["{}"] * MOST)
    nudge.send(FIRST)
    nudge.send(ELSEWHERE)
    assert sent.lanes == [lane_of(ELSEWHERE)]
    broker.delete(LANE, f"sluice:called:{LANE}")
    nudge.send(SECOND)
    assert sent.lanes == [lane_of(ELSEWHERE), LANE]
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, SECOND]


def test_a_message_that_is_lost_is_believed_for_a_while(
    broker: Redis, sent: Sent, ran: list[int]
) -> None:
    nudge.send(FIRST)
    called = f"sluice:called:{LANE}"
    assert 0 < broker.pttl(called) <= 5000
    # As that time does.
    broker.delete(called)
    nudge.send(SECOND)
    assert sent.lanes == [LANE, LANE]
    tasks.admit(LANE, sent.names[1])
    assert ran == [FIRST, SECOND]


def test_a_message_that_was_overtaken_does_nothing(
    broker: Redis, sent: Sent, ran: list[int]
) -> None:
    """Or each that came late would send others for as long as anybody waits."""
    nudge.send(FIRST)
    broker.delete(f"sluice:called:{LANE}")
    nudge.send(FIRST)
    early, late = sent.names
    assert early != late
    tasks.admit(LANE, early)
    assert ran == []
    tasks.admit(LANE, late)
    # Twice delivered, it finds nobody.
    tasks.admit(LANE, late)
    assert (ran, sent.lanes) == ([FIRST], [LANE, LANE])


def test_a_lane_makes_room_when_its_turn_is_over(
    broker: Redis, sent: Sent, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lane_module, "TURN", 0)
    nudge.send(FIRST)
    nudge.send(SECOND)
    tasks.admit(LANE, sent.last(LANE))
    assert (ran, sent.lanes) == ([FIRST], [LANE, LANE])
    # Its message is on the way: whoever comes needs none.
    nudge.send(FIRST)
    assert sent.lanes == [LANE, LANE]
    tasks.admit(LANE, sent.last(LANE))
    tasks.admit(LANE, sent.last(LANE))
    # Nobody is left, so it was the last one.
    assert (ran, sent.lanes) == ([FIRST, SECOND, FIRST], [LANE, LANE, LANE])


def test_who_has_work_left_goes_to_the_end(
    broker: Redis, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def run_engine(org_id: int) -> Ran:
        ran.append(org_id)
        return Ran(1, ran.count(FIRST) < 3)

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    monkeypatch.setattr(run_lane_module, "GIVES_WAY", 0)
    nudge.send(FIRST)
    nudge.send(SECOND)
    nudge.send(THIRD)
    run_lane(LANE)
    assert ran == 3 * [FIRST, SECOND, THIRD]


@dataclass
class Backlog:
    """Engines of which that of one organization never comes to an end of its work."""

    ran: list[int] = field(default_factory=list)

    def run_engine(self, org_id: int) -> Ran:
        self.ran.append(org_id)
        return Ran(1, org_id == FIRST)

    def begin(self, sent: Sent) -> None:
        """Have that one run once, and wait with what is left."""
        nudge.send(FIRST)
        assert self.run(LANE, sent) == [FIRST]

    def run(self, lane: str, sent: Sent) -> list[int]:
        """Return who ran by the last message of a lane."""
        self.ran.clear()
        tasks.admit(lane, sent.last(lane))
        return list(self.ran)


@pytest.fixture
def backlog(monkeypatch: pytest.MonkeyPatch) -> Backlog:
    """Each run of that organization takes a turn, and gives way for as long as it may."""
    found = Backlog()
    monkeypatch.setattr(run_lane_module, "run_engine", found.run_engine)
    monkeypatch.setattr(run_lane_module, "TURN", 0)
    monkeypatch.setattr(run_lane_module, "GIVES_WAY", 1e9)
    return found


def test_who_has_work_left_gives_way_to_later_ones_of_all_lanes(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    elsewhere = lane_of(ELSEWHERE)
    backlog.begin(sent)
    nudge.send(ELSEWHERE)
    nudge.send(SECOND)
    # What is accepted for it meanwhile does not bring it forward.
    nudge.send(FIRST)
    assert backlog.run(LANE, sent) == [SECOND]
    for _ in range(3):
        assert backlog.run(LANE, sent) == []
    assert backlog.run(elsewhere, sent) == [ELSEWHERE]
    # Nobody else waits: it goes on at once, again and again.
    for _ in range(3):
        assert backlog.run(LANE, sent) == [FIRST]
    # There was a message for each time that it stayed.
    assert sent.lanes == [LANE, LANE, elsewhere, *7 * [LANE]]
    assert broker.zcard(f"sluice:nudged:{LANE}") == 1


def test_who_has_given_way_for_long_enough_goes_before_later_ones(
    broker: Redis, sent: Sent, backlog: Backlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_lane_module, "GIVES_WAY", 0)
    backlog.begin(sent)
    nudge.send(ELSEWHERE)
    nudge.send(SECOND)
    assert backlog.run(LANE, sent) == [FIRST]
    assert backlog.run(LANE, sent) == [SECOND]


def test_nobody_gives_way_to_lanes_of_other_workers(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    nudge.send(FIRST)
    nudge.send(ELSEWHERE)
    current_app.amqp.queues.select([LANE])
    try:
        for _ in range(2):
            assert backlog.run(LANE, sent) == [FIRST]
    finally:
        current_app.amqp.queues.select(QUEUES)


def test_a_clock_of_the_broker_that_is_set_back_keeps_nobody_waiting(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    """Then the time of who waited is still to come, as if they gave way."""
    broker.zadd(f"sluice:nudged:{LANE}", {str(SECOND): 4_000_000_000_000_000})
    nudge.send(ELSEWHERE)
    run_lane(LANE)
    run_lane(lane_of(ELSEWHERE))
    assert backlog.ran == [SECOND, ELSEWHERE]


def test_a_lane_that_another_worker_is_at_is_called_for(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    """Its message has been begun, and who waits there came before that."""
    elsewhere = lane_of(ELSEWHERE)
    backlog.begin(sent)
    nudge.send(ELSEWHERE)
    assert nudge.begin(elsewhere, sent.last(elsewhere))
    assert backlog.run(LANE, sent) == []
    assert sent.lanes == [LANE, LANE, elsewhere, elsewhere, LANE]
    assert backlog.run(elsewhere, sent) == [ELSEWHERE]
    assert backlog.run(LANE, sent) == [FIRST]


def test_an_engine_that_fails_keeps_nobody_else_waiting(
    broker: Redis, sent: Sent, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = getattr(run_lane_module, "run_engine")  # noqa: B009

    def run_engine(org_id: int) -> Ran:
        if org_id == FIRST:
            raise ZeroDivisionError
        ran_now: Ran = others(org_id)
        return ran_now

    monkeypatch.setattr(run_lane_module, "run_engine", run_engine)
    nudge.send(FIRST)
    nudge.send(SECOND)
    with pytest.raises(ZeroDivisionError), capture_logs() as logs:
        tasks.admit(LANE, sent.last(LANE))
    assert [(row["event"], row["org_id"]) for row in logs] == [("engine failed", FIRST)]
    assert (ran, sent.lanes) == ([], [LANE, LANE])
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [SECOND]


def test_only_who_has_the_lease_asks_again(
    broker: Redis,
    sent: Sent,
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
    assert nudge.take(lane).org_id is None
    nudge.send(org.pk)
    run_lane(lane)
    assert nudge.take(lane).org_id == org.pk
    forget_states()


def test_a_broker_that_is_away_is_logged(settings, sent: Sent, ran: list[int]) -> None:
    broker_module.client.cache_clear()
    settings.REDIS_URL = "unix:///dev/null/broker.sock"
    with capture_logs() as logs:
        nudge.send(FIRST)
        tasks.admit(LANE, "1")
    broker_module.client.cache_clear()
    assert [(row["event"], row.get("org"), row.get("lane")) for row in logs] == [
        ("not nudged, the sweep will", FIRST, None),
        ("a message is still believed to be on its way", None, LANE),
        ("nobody is taken, the sweep nudges again", None, LANE),
        ("not asked again, the sweep will", None, LANE),
    ]
    assert (sent.lanes, ran) == ([], [])


def test_a_message_that_the_broker_refuses_is_logged(
    broker: Redis, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("no room")

    monkeypatch.setattr(current_app, "send_task", refuse)
    with capture_logs() as logs:
        nudge.send(FIRST)
    assert [row["error"] for row in logs] == ["no room"]
    run_lane(LANE)
    assert ran == [FIRST]
