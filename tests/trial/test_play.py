"""Traces played in real time against a fake product that consists of an engine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from threading import Lock
from typing import Any

import pytest

from console.bench.kueue.traces import ArrivalTrace, WorkloadSet
from console.bench.workload_tracker import InvariantViolation
from console.engine.model.decision import Outcome
from console.engine.state import State
from console.traffic.client import Client, Refused, Unavailable
from console.trial import play as play_module
from console.trial.play import Progress, due_by, play
from tests.bench.small import CROWDED, PREEMPTING

#: Instant 0: high-0 starts. 300: low-0 starts. 1,300: high-1 arrives and preempts it, a second
#: later, so that low-0 runs by then even if its start is read late. 1,600: low-0 starts again,
#: until 3,600.
PATIENT = replace(
    PREEMPTING,
    sets=(
        WorkloadSet(name="low", count=1, interval=0, cpu=20, run_time=2_000, priority=50),
        WorkloadSet(name="high", count=2, interval=1_300, cpu=20, run_time=300, priority=200),
    ),
)


def now() -> str:
    return datetime.now(UTC).isoformat()


class Engine:
    """Decides requests at once and returns numbered decisions."""

    def __init__(self, trace: ArrivalTrace) -> None:
        self.state = State(trace.policy())
        self.requests: list[str] = []
        self.arrivals = {each.workload.id: each for each in trace.arrivals()}
        self.feed: list[dict[str, Any]] = []
        self.lock = Lock()
        self.keys: set[str] = set()
        #: Seconds that each request for decisions was allowed to wait.
        self.waits: list[int] = []
        self.ends: dict[str, str] = {}
        self.releases: list[tuple[str, str]] = []

    def connect(self) -> Client:
        return Connection(self)

    def note(self, request: str) -> None:
        self.requests.append(request)

    def settle(self) -> None:
        for each in self.state.settle():
            row = {
                "seq": len(self.feed) + 1,
                "workload": {"id": f"id of {each.workload}", "name": each.workload},
                "outcome": str(each.outcome),
                "queue": each.queue,
                "reason": str(each.reason),
                "created_at": now(),
            }
            self.feed.append(row)


class Connection(Client):
    """A connection that answers as the API does."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def close(self) -> None:
        self.engine.note("close")

    def apply(self, dialect: str, text: str) -> None:
        self.engine.note(f"apply {dialect}")
        assert "ClusterQueue" in text

    def submit(self, workloads: Sequence[dict[str, Any]], key: str) -> list[str]:
        engine = self.engine
        with engine.lock:
            assert key not in engine.keys
            engine.keys.add(key)
            for each in workloads:
                engine.state.submit(engine.arrivals[each["name"]].workload)
            engine.settle()
        return []

    def executor_decisions(self, after: int, seconds: int) -> tuple[list[dict[str, Any]], int]:
        with self.engine.lock:
            rows = self.engine.feed[after : after + 1000]
            self.engine.waits.append(seconds)
        return [row for row in rows if row["outcome"] != "pending"], after + len(rows)

    def finish(self, ids: Sequence[str]) -> None:
        self._each(ids, self.engine.state.finish)
        self.engine.ends |= dict.fromkeys(ids, now())

    def release(self, ids: Sequence[str]) -> None:
        self._each(ids, self.engine.state.release)
        self.engine.releases += [(uid, now()) for uid in ids]

    def ends(self) -> dict[str, str]:
        return self.engine.ends

    def releases(self) -> list[tuple[str, str]]:
        return self.engine.releases

    def has_any(self, state: str) -> bool:
        return False

    def _each(self, ids: Sequence[str], tell: Any) -> None:
        with self.engine.lock:
            for uid in ids:
                assert tell(uid.removeprefix("id of ")), uid
            self.engine.settle()


def run(engine: Engine, trace: ArrivalTrace) -> Any:
    clock = count()
    told: list[Progress] = []
    figures = play(trace, engine.connect, lambda: float(next(clock)), told.append)
    return figures, told


def test_real_time_run_matches_virtual_time() -> None:
    engine = Engine(PATIENT)
    figures, told = run(engine, PATIENT)
    assert figures.workloads == 3
    assert figures.preemptions == 1
    assert len(engine.feed) == 8
    # While a workload is pending, the reader waits for decisions; afterwards it only waits for
    # ends.
    assert set(engine.waits) == {2, 0}
    assert engine.waits[-1] == 0
    assert figures.decisions == sum(row["outcome"] != "pending" for row in engine.feed) == 5
    assert figures.digest is None
    assert figures.cpu_seconds == 1.0
    assert figures.makespan_seconds >= 3.6
    assert figures.wall_seconds >= figures.makespan_seconds
    assert figures.admission_seconds["low"] >= 1.6
    assert figures.admission_seconds["high"] < figures.admission_seconds["low"]
    assert 0 < figures.work_use <= figures.quota_use <= 1.0
    assert engine.requests == ["apply kueue", "close", "close", "close"]
    assert (told[-1].done, told[-1].expected) == (3, 3)
    assert not engine.state.running


def test_many_workloads_run_concurrently() -> None:
    engine = Engine(CROWDED)
    figures, _ = run(engine, CROWDED)
    assert figures.workloads == 3 * 53
    assert {row["outcome"] for row in engine.feed} <= {"admitted", "pending", "preempted"}
    admitted = [row["workload"]["name"] for row in engine.feed if row["outcome"] == "admitted"]
    stopped = [row["workload"]["name"] for row in engine.feed if row["outcome"] == "preempted"]
    assert sorted(admitted) == sorted([*engine.arrivals, *stopped])


def test_both_usages_cover_the_time_until_the_last_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finish = Connection.finish

    def late(connection: Connection, ids: Sequence[str]) -> None:
        finish(connection, ids)
        if len(connection.engine.ends) == 3:
            time.sleep(0.5)

    monkeypatch.setattr(Connection, "finish", late)
    figures, _ = run(Engine(PREEMPTING), PREEMPTING)
    assert figures.wall_seconds > figures.makespan_seconds + 0.4
    assert 0 < figures.work_use <= figures.quota_use < 1


def test_product_without_decisions_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_module, "_STALL_SECONDS", 0.2)
    engine = Engine(PREEMPTING)
    monkeypatch.setattr(Connection, "executor_decisions", lambda _, after, seconds: ([], after))
    with pytest.raises(
        InvariantViolation, match=r"^No decision for 0.2 s; 3 workloads have not finished\.$"
    ):
        run(engine, PREEMPTING)


def test_product_that_does_not_record_the_end_times_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play_module, "_STALL_SECONDS", 2)
    monkeypatch.setattr(Connection, "has_any", lambda _, state: state == "preempting")
    with pytest.raises(InvariantViolation, match="the product has some in state preempting"):
        run(Engine(PREEMPTING), PREEMPTING)


def test_rejection_ends_the_run() -> None:
    engine = Engine(PREEMPTING)
    settle = engine.settle

    def reject() -> None:
        settle()
        engine.feed[-1]["outcome"] = str(Outcome.REJECTED)
        engine.feed[-1]["reason"] = "no_rule_matched"

    engine.settle = reject  # type: ignore[method-assign]
    with pytest.raises(InvariantViolation, match=r"was rejected at \d+ ms: no_rule_matched"):
        run(engine, PREEMPTING)


@pytest.mark.parametrize("call", ["submit", "executor_decisions", "finish", "release"])
def test_unanswered_request_is_repeated(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = getattr(Connection, call)
    failures = iter([Unavailable("gone"), Unavailable("gone"), None])

    def once(*arguments: Any) -> Any:
        if (failure := next(failures, None)) is not None:
            raise failure
        return answer(*arguments)

    monkeypatch.setattr(Connection, call, once)
    figures, _ = run(Engine(PREEMPTING), PREEMPTING)
    assert figures.workloads == 3


@pytest.mark.parametrize("failure", [Unavailable("gone"), Refused(400, "no such field")])
def test_error_of_a_submitter_ends_the_run(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> Any:
        raise failure

    monkeypatch.setattr(Connection, "submit", refuse)
    with pytest.raises(type(failure), match=str(failure)):
        run(Engine(PREEMPTING), PREEMPTING)


def test_simultaneous_arrivals_are_submitted_together() -> None:
    first = PREEMPTING.arrivals()[0]
    arrivals = [replace(first, at=at) for at in (0, 0, 5, 9)]
    assert [len(due_by(now, arrivals)) for now in (-1, 0, 4, 5, 9)] == [0, 2, 2, 3, 4]
