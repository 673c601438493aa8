"""Synthetic traffic: submits, executes, releases and withdraws workloads as an executor would."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import CommandError, call_command

from console.orgs.models import ApiToken, Organization
from console.traffic.client import Client, Refused, Unavailable
from console.traffic.executor import Executor
from console.traffic.mix import MIXES, Kind, workload


class Scheduler:
    """A stand-in for the API: admits all workloads, and can be made to misbehave."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.feed: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.batches: list[list[str]] = []
        self.bodies: list[dict[str, object]] = []
        self.away = False

    def submit(self, workloads, key: str) -> list[str]:
        self._answer()
        self.batches.append([body["name"] for body in workloads])
        self.bodies += workloads
        self.keys.append(key)
        ids = [body["name"] for body in workloads]
        for uid in ids:
            self.decide(uid, "admitted")
        return ids

    def decide(self, uid: str, outcome: str) -> None:
        self.states[uid] = {"preempted": "preempting"}.get(outcome, outcome)
        self.feed.append((uid, outcome))

    def finish(self, ids) -> None:
        self._answer()
        if any(self.states[uid] != "admitted" for uid in ids):
            raise Refused(409, "one of them is not admitted")
        for uid in ids:
            self.states[uid] = "finished"

    def end(self, uid: str, action: str) -> None:
        self._answer()
        needed, becomes = {
            "finish": ({"admitted"}, "finished"),
            "release": ({"preempting"}, "pending"),
            "withdraw": ({"admitted", "preempting", "pending"}, "withdrawn"),
        }[action]
        if self.states[uid] not in needed:
            raise Refused(409, f"it is {self.states[uid]}")
        self.states[uid] = becomes

    def workload_ids(self, user: str, state: str) -> list[str]:
        self._answer()
        return [uid for uid, now in self.states.items() if now == state]

    def last_decision(self) -> int:
        return len(self.feed)

    def decisions(self, after: int):
        self._answer()
        return [
            {"seq": seq, "workload": {"id": uid}, "outcome": outcome}
            for seq, (uid, outcome) in enumerate(self.feed, 1)
            if seq > after
        ]

    def _answer(self) -> None:
        if self.away:
            raise Unavailable("it is down")


@pytest.fixture
def scheduler() -> Scheduler:
    """A working API."""
    return Scheduler()


@pytest.fixture
def said() -> list[str]:
    """The messages of the executor to the terminal."""
    return []


@pytest.fixture
def executor(scheduler: Scheduler, said: list[str]) -> Executor:
    """A run that submits one workload per second."""
    return Executor(scheduler, ["traffic"], 1.0, seed=7, log=said.append)


def run(executor: Executor, begin: int, end: int, *, submitting: bool = True) -> None:
    """Step the run once per second."""
    for now in range(begin, end):
        executor.step(float(now), submitting=submitting)


def test_the_same_seed_draws_the_same_work() -> None:
    first, second = random.Random(3), random.Random(3)
    assert [workload(first, n, "me") for n in range(200)] == [
        workload(second, n, "me") for n in range(200)
    ]


@pytest.mark.parametrize("mix", MIXES)
def test_every_kind_is_generated(mix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: set[str] = set()

    def noted(kind: Kind) -> Kind:
        def body(draw: random.Random) -> dict[str, object]:
            drawn.add(kind.body.__name__)
            return kind.body(draw)

        return Kind(kind.weight, body)

    kinds = MIXES[mix]
    monkeypatch.setitem(MIXES, mix, [noted(kind) for kind in kinds])
    draw = random.Random(1)
    bodies = [workload(draw, n, "me", mix) for n in range(200)]
    assert drawn == {kind.body.__name__ for kind in kinds}
    assert {body["user"] for body in bodies} == {"me"}


def test_users_take_turns(scheduler: Scheduler, said: list[str]) -> None:
    executor = Executor(scheduler, ["one", "two"], 1.0, seed=7, log=said.append, mix="cohort")
    run(executor, 0, 60)
    users = [body["user"] for body in scheduler.bodies]
    assert set(users) == {"one", "two"}
    assert abs(users.count("one") - users.count("two")) <= 1
    assert {body["namespace"] for body in scheduler.bodies} == {"vision", "speech"}


def test_admitted_workloads_finish_in_time(executor: Executor, scheduler: Scheduler) -> None:
    run(executor, 0, 30)
    run(executor, 30, 150, submitting=False)
    assert set(scheduler.states.values()) == {"finished"}
    submitted = len(scheduler.states)
    assert executor.counts == {
        "submitted": submitted,
        "admitted": submitted,
        "finished": submitted,
    }


def test_preempted_workloads_are_released_and_run_again(
    executor: Executor, scheduler: Scheduler
) -> None:
    executor.step(0.0, submitting=True)
    [uid] = scheduler.states
    scheduler.decide(uid, "preempted")
    run(executor, 1, 10, submitting=False)
    assert scheduler.states == {uid: "pending"}
    run(executor, 10, 120, submitting=False)
    assert scheduler.states == {uid: "pending"}
    scheduler.decide(uid, "admitted")
    run(executor, 120, 220, submitting=False)
    assert scheduler.states == {uid: "finished"}


def test_long_pending_workloads_are_withdrawn(executor: Executor, scheduler: Scheduler) -> None:
    executor.step(0.0, submitting=True)
    [uid] = scheduler.states
    scheduler.decide(uid, "preempted")
    run(executor, 1, 500, submitting=False)
    assert scheduler.states == {uid: "withdrawn"}


def test_refused_finish_does_not_block_others(executor: Executor, scheduler: Scheduler) -> None:
    run(executor, 0, 5)
    first, *others = scheduler.states
    # Its decision comes after the bulk request that contains it.
    scheduler.states[first] = "withdrawn"
    executor.step(200.0, submitting=False)
    assert {scheduler.states[uid] for uid in others} == {"finished"}
    assert scheduler.states[first] == "withdrawn"


def test_unavailable_api_is_retried(
    executor: Executor, scheduler: Scheduler, said: list[str]
) -> None:
    run(executor, 0, 10)
    scheduler.away = True
    run(executor, 10, 60)
    scheduler.away = False
    run(executor, 60, 61)
    assert said == ["The API is away (it is down); trying again.", "The API is back."]
    assert len(scheduler.keys) == len(set(scheduler.keys))
    # Workloads of the time in between are not submitted all at once.
    assert sum(map(len, scheduler.batches)) < 20
    run(executor, 61, 200, submitting=False)
    assert set(scheduler.states.values()) == {"finished"}


def test_lost_response_is_requested_again_with_the_same_key(
    executor: Executor, scheduler: Scheduler, monkeypatch
) -> None:
    submit, seen = scheduler.submit, []

    def lose_the_first(workloads, key: str) -> list[str]:
        seen.append((key, list(workloads)))
        if len(seen) == 1:
            raise Unavailable("connection reset")
        return submit(workloads, key)

    monkeypatch.setattr(scheduler, "submit", lose_the_first)
    run(executor, 0, 5)
    assert seen[0] == seen[1]


def test_a_later_run_takes_over_what_an_earlier_one_left(
    executor: Executor, scheduler: Scheduler
) -> None:
    for uid, state in (("a", "admitted"), ("b", "preempting"), ("c", "pending")):
        scheduler.states[uid] = state
    executor.restore(0.0)
    run(executor, 0, 600, submitting=False)
    assert scheduler.states == {"a": "finished", "b": "withdrawn", "c": "withdrawn"}


def test_a_bounded_run_leaves_nothing_behind(executor: Executor, scheduler: Scheduler) -> None:
    run(executor, 0, 20)
    executor.wind_down(20.0)
    assert set(scheduler.states.values()) == {"finished"}


class _Handler(BaseHTTPRequestHandler):
    """Answers from the list of its server, and records the requests."""

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        status, body = self.server.answers.pop(0)
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """A server that answers from a list."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.answers, server.seen = [], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_the_client_reads_all_pages(server: ThreadingHTTPServer) -> None:
    server.answers += [
        (200, {"results": [{"id": "a"}], "next": "2"}),
        (200, {"results": [{"id": "b"}], "next": None}),
    ]
    client = Client(f"http://127.0.0.1:{server.server_port}", "here", "token")
    assert client.workload_ids("traffic", "pending") == ["a", "b"]
    assert server.seen == [
        "/api/v1/orgs/here/workloads?user=traffic&state=pending&limit=1000",
        "/api/v1/orgs/here/workloads?user=traffic&state=pending&limit=1000&cursor=2",
    ]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 1000])
def test_the_client_finds_the_end_of_the_feed(monkeypatch, count: int) -> None:
    """The numbers have gaps: all organizations share them."""
    feed = [{"seq": 3 * number} for number in range(1, count + 1)]
    client = Client("http://127.0.0.1:1", "here", "token")
    monkeypatch.setattr(
        client,
        "decisions",
        lambda after, limit: [row for row in feed if row["seq"] > after][:limit],
    )
    last = client.last_decision()
    assert last >= 3 * count
    assert last <= max(1, 3 * count)


def test_client_distinguishes_refusal_and_unavailability(server: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    client = Client(url, "here", "token")
    server.answers.append((404, {"detail": "There is no organization 'here'."}))
    with pytest.raises(Refused, match="There is no organization 'here'") as refused:
        client.decisions(0)
    assert refused.value.status == 404
    server.answers.append((503, {}))
    with pytest.raises(Unavailable, match="status 503"):
        client.decisions(0)
    with pytest.raises(Unavailable):
        Client("http://127.0.0.1:1", "here", "token").decisions(0)


def test_the_command_ends_with_a_sentence_and_its_token(
    org: Organization, server: ThreadingHTTPServer
) -> None:
    server.answers.append((403, {"detail": "The role operator may not."}))
    url = f"http://127.0.0.1:{server.server_port}"
    expected = r"The API returned an error: The role operator may not\."
    with pytest.raises(CommandError, match=expected):
        call_command("traffic", "--org", "here", "--rate", "1", "--seconds", "5", "--url", url)
    assert ApiToken.objects.get().revoked_at is not None


def test_the_command_needs_an_organization(db: None) -> None:
    with pytest.raises(CommandError, match="There is no organization 'nowhere'"):
        call_command("traffic", "--org", "nowhere", "--rate", "1", "--seconds", "5")
