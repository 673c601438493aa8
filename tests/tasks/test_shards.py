"""Shards: organizations with work take turns, with one message per shard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from celery import current_app
from kombu.exceptions import OperationalError
from redis import Redis
from structlog.testing import capture_logs

from console import broker as broker_module
from console.celery import QUEUES, shard_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.queue_backlog import MAX_MESSAGES
from console.workloads import tasks, wakeup
from console.workloads.lease import leased
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services import run_shard as run_shard_module
from console.workloads.services.run_engine import RunResult, forget_states
from console.workloads.services.run_shard import run_shard
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.brokers import serving_broker

LANE = "admission-0"
#: Ids of organizations of that shard, and of one in another.
FIRST, SECOND, THIRD = [number for number in range(100) if shard_of(number) == LANE][:3]
ELSEWHERE = next(number for number in range(100) if shard_of(number) != LANE)


@pytest.fixture(autouse=True)
def _long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_shard_module, "TURN", 60)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_broker(tmp_path_factory.mktemp("b")) as url:
        yield url


@pytest.fixture
def broker(server: str, settings) -> Iterator[Redis]:
    """Return the console's broker, emptied."""
    settings.REDIS_URL = server
    broker_module.client.cache_clear()
    client = Redis.from_url(server)
    client.flushall()
    yield client
    broker_module.client.cache_clear()


@dataclass
class Sent:
    """The messages sent to the broker, in order."""

    shards: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def last(self, shard: str) -> str:
        """Return the name of a shard's latest message."""
        return next(
            name
            for each, name in zip(self.shards[::-1], self.names[::-1], strict=True)
            if each == shard
        )


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Return all sent messages."""
    messages = Sent()

    def send_task(name: str, args: list[str], queue: str, expires: int) -> None:
        shard, message = args
        assert (name, shard, expires) == (wakeup.ADMIT, queue, 60)
        messages.shards.append(shard)
        messages.names.append(message)

    monkeypatch.setattr(current_app, "send_task", send_task)
    return messages


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the organizations whose engines ran; none has work left."""
    orgs: list[int] = []

    def run_engine(org_id: int) -> RunResult:
        orgs.append(org_id)
        return RunResult(0, False)

    monkeypatch.setattr(run_shard_module, "run_engine", run_engine)
    return orgs


def test_one_message_serves_all_organizations_of_a_shard(
    broker: Redis, sent: Sent, ran: list[int]
) -> None:
    for org in (SECOND, FIRST, SECOND, ELSEWHERE, THIRD, FIRST):
        wakeup.send(org)
    assert sent.shards == [LANE, shard_of(ELSEWHERE)]
    tasks.admit(LANE, sent.names[0])
    assert ran == [SECOND, FIRST, THIRD]
    tasks.admit(shard_of(ELSEWHERE), sent.names[1])
    assert ran == [SECOND, FIRST, THIRD, ELSEWHERE]
    assert sent.shards == [LANE, shard_of(ELSEWHERE)]
    assert broker.keys() == []


def test_a_wakeup_during_a_turn_sends_another_message(
    broker: Redis, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second worker of the shard may take it at once; the first may have handled it by then."""
    ran: list[int] = []

    def run_engine(org_id: int) -> RunResult:
        ran.append(org_id)
        if len(ran) == 1:
            wakeup.send(FIRST)
            wakeup.send(SECOND)
            assert sent.shards == [LANE, LANE]
        return RunResult(1, False)

    monkeypatch.setattr(run_shard_module, "run_engine", run_engine)
    wakeup.send(FIRST)
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, FIRST, SECOND]
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, FIRST, SECOND]
    assert (sent.shards, broker.keys()) == ([LANE, LANE], [])


def test_no_message_is_added_to_a_full_queue(broker: Redis, sent: Sent, ran: list[int]) -> None:
    broker.rpush(LANE, *["{}"] * MAX_MESSAGES)
    wakeup.send(FIRST)
    wakeup.send(ELSEWHERE)
    assert sent.shards == [shard_of(ELSEWHERE)]
    broker.delete(LANE, f"sluice:called:{LANE}")
    wakeup.send(SECOND)
    assert sent.shards == [shard_of(ELSEWHERE), LANE]
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [FIRST, SECOND]


def test_a_lost_message_is_replaced_after_a_while(
    broker: Redis, sent: Sent, ran: list[int]
) -> None:
    wakeup.send(FIRST)
    called = f"sluice:called:{LANE}"
    assert 0 < broker.pttl(called) <= 5000
    # Expire it like the passing of that time.
    broker.delete(called)
    wakeup.send(SECOND)
    assert sent.shards == [LANE, LANE]
    tasks.admit(LANE, sent.names[1])
    assert ran == [FIRST, SECOND]


def test_a_superseded_message_does_nothing(broker: Redis, sent: Sent, ran: list[int]) -> None:
    """Otherwise each late message would send more as long as any organization waits."""
    wakeup.send(FIRST)
    broker.delete(f"sluice:called:{LANE}")
    wakeup.send(FIRST)
    early, late = sent.names
    assert early != late
    tasks.admit(LANE, early)
    assert ran == []
    tasks.admit(LANE, late)
    # Delivered twice, it finds no organization.
    tasks.admit(LANE, late)
    assert (ran, sent.shards) == ([FIRST], [LANE, LANE])


def test_a_shard_yields_when_its_turn_is_over(
    broker: Redis, sent: Sent, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_shard_module, "TURN", 0)
    wakeup.send(FIRST)
    wakeup.send(SECOND)
    tasks.admit(LANE, sent.last(LANE))
    assert (ran, sent.shards) == ([FIRST], [LANE, LANE])
    # The shard's message is under way: further organizations need none.
    wakeup.send(FIRST)
    assert sent.shards == [LANE, LANE]
    tasks.admit(LANE, sent.last(LANE))
    tasks.admit(LANE, sent.last(LANE))
    # No organization is left, so it was the last message.
    assert (ran, sent.shards) == ([FIRST, SECOND, FIRST], [LANE, LANE, LANE])


def test_an_organization_with_work_left_goes_to_the_end(
    broker: Redis, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def run_engine(org_id: int) -> RunResult:
        ran.append(org_id)
        return RunResult(1, ran.count(FIRST) < 3)

    monkeypatch.setattr(run_shard_module, "run_engine", run_engine)
    monkeypatch.setattr(run_shard_module, "GIVES_WAY", 0)
    wakeup.send(FIRST)
    wakeup.send(SECOND)
    wakeup.send(THIRD)
    run_shard(LANE)
    assert ran == 3 * [FIRST, SECOND, THIRD]


@dataclass
class Backlog:
    """Fake engines, of which that of one organization always has work left."""

    ran: list[int] = field(default_factory=list)

    def run_engine(self, org_id: int) -> RunResult:
        self.ran.append(org_id)
        return RunResult(1, org_id == FIRST)

    def begin(self, sent: Sent) -> None:
        """Run that engine once, so that it waits with the rest of its work."""
        wakeup.send(FIRST)
        assert self.run(LANE, sent) == [FIRST]

    def run(self, shard: str, sent: Sent) -> list[int]:
        """Return the organizations that run for the latest message of a shard."""
        self.ran.clear()
        tasks.admit(shard, sent.last(shard))
        return list(self.ran)


@pytest.fixture
def backlog(monkeypatch: pytest.MonkeyPatch) -> Backlog:
    """Return fakes in which each run of that organization uses a turn and then gives way."""
    found = Backlog()
    monkeypatch.setattr(run_shard_module, "run_engine", found.run_engine)
    monkeypatch.setattr(run_shard_module, "TURN", 0)
    monkeypatch.setattr(run_shard_module, "GIVES_WAY", 1e9)
    return found


def test_an_organization_with_work_left_gives_way_to_all_shards(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    elsewhere = shard_of(ELSEWHERE)
    backlog.begin(sent)
    wakeup.send(ELSEWHERE)
    wakeup.send(SECOND)
    # New intake does not move it forward.
    wakeup.send(FIRST)
    assert backlog.run(LANE, sent) == [SECOND]
    for _ in range(3):
        assert backlog.run(LANE, sent) == []
    assert backlog.run(elsewhere, sent) == [ELSEWHERE]
    # No other organization waits, so it continues at once, repeatedly.
    for _ in range(3):
        assert backlog.run(LANE, sent) == [FIRST]
    # A message was sent each time that it stayed.
    assert sent.shards == [LANE, LANE, elsewhere, *7 * [LANE]]
    assert broker.zcard(f"sluice:nudged:{LANE}") == 1


def test_an_organization_gives_way_for_a_limited_time(
    broker: Redis, sent: Sent, backlog: Backlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_shard_module, "GIVES_WAY", 0)
    backlog.begin(sent)
    wakeup.send(ELSEWHERE)
    wakeup.send(SECOND)
    assert backlog.run(LANE, sent) == [FIRST]
    assert backlog.run(LANE, sent) == [SECOND]


def test_organizations_do_not_give_way_to_shards_of_other_workers(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    wakeup.send(FIRST)
    wakeup.send(ELSEWHERE)
    current_app.amqp.queues.select([LANE])
    try:
        for _ in range(2):
            assert backlog.run(LANE, sent) == [FIRST]
    finally:
        current_app.amqp.queues.select(QUEUES)


def test_a_clock_of_the_broker_that_is_set_back_keeps_nobody_waiting(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    """The start time of a waiting organization is then in the future, as if it had given way."""
    broker.zadd(f"sluice:nudged:{LANE}", {str(SECOND): 4_000_000_000_000_000})
    wakeup.send(ELSEWHERE)
    run_shard(LANE)
    run_shard(shard_of(ELSEWHERE))
    assert backlog.ran == [SECOND, ELSEWHERE]


def test_a_shard_held_by_another_worker_gets_a_message(
    broker: Redis, sent: Sent, backlog: Backlog
) -> None:
    """The other shard's message has been started, and its organization came before that."""
    elsewhere = shard_of(ELSEWHERE)
    backlog.begin(sent)
    wakeup.send(ELSEWHERE)
    assert wakeup.begin(elsewhere, sent.last(elsewhere))
    assert backlog.run(LANE, sent) == []
    assert sent.shards == [LANE, LANE, elsewhere, elsewhere, LANE]
    assert backlog.run(elsewhere, sent) == [ELSEWHERE]
    assert backlog.run(LANE, sent) == [FIRST]


def test_a_failing_engine_does_not_delay_others(
    broker: Redis, sent: Sent, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = getattr(run_shard_module, "run_engine")  # noqa: B009

    def run_engine(org_id: int) -> RunResult:
        if org_id == FIRST:
            raise ZeroDivisionError
        ran_now: RunResult = others(org_id)
        return ran_now

    monkeypatch.setattr(run_shard_module, "run_engine", run_engine)
    wakeup.send(FIRST)
    wakeup.send(SECOND)
    with pytest.raises(ZeroDivisionError), capture_logs() as logs:
        tasks.admit(LANE, sent.last(LANE))
    assert [(row["event"], row["org_id"]) for row in logs] == [("engine failed", FIRST)]
    assert (ran, sent.shards) == ([], [LANE, LANE])
    tasks.admit(LANE, sent.last(LANE))
    assert ran == [SECOND]


def test_only_the_lease_holder_requests_another_run(
    broker: Redis,
    sent: Sent,
    org: Organization,
    owner: Actor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shard = shard_of(org.pk)
    monkeypatch.setattr(run_shard_module, "TURN", 0)
    monkeypatch.setattr(run_engine_module, "BATCH", 1)
    monkeypatch.setattr(run_engine_module, "_has_time", lambda deadline: False)
    forget_states()
    for name in ("a", "b"):
        submit_workloads(owner, [Submission(name=name, requests={"gpu": 1000})])
    with leased(org.pk):
        wakeup.send(org.pk)
        run_shard(shard)
    assert wakeup.take(shard).org_id is None
    wakeup.send(org.pk)
    run_shard(shard)
    assert wakeup.take(shard).org_id == org.pk
    forget_states()


def test_an_unreachable_broker_is_logged(settings, sent: Sent, ran: list[int]) -> None:
    broker_module.client.cache_clear()
    settings.REDIS_URL = "unix:///dev/null/broker.sock"
    with capture_logs() as logs:
        wakeup.send(FIRST)
        tasks.admit(LANE, "1")
    broker_module.client.cache_clear()
    assert [(row["event"], row.get("org"), row.get("shard")) for row in logs] == [
        ("no wakeup was sent, the sweep sends one", FIRST, None),
        ("the arrival of a message was not recorded", None, LANE),
        ("no organization was taken, the sweep wakes it up again", None, LANE),
        ("no message was sent, the sweep sends one", None, LANE),
    ]
    assert (sent.shards, ran) == ([], [])


def test_a_message_that_the_broker_refuses_is_logged(
    broker: Redis, ran: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("no room")

    monkeypatch.setattr(current_app, "send_task", refuse)
    with capture_logs() as logs:
        wakeup.send(FIRST)
    assert [row["error"] for row in logs] == ["no room"]
    run_shard(LANE)
    assert ran == [FIRST]
