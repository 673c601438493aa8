"""The impact of a draft on 100,000 live and recorded workloads, while admission continues."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import crowd
from tests.benchmarks.measured import Measured
from tests.product import Api, Product, running

RUNNING = crowd.ADMITTED
LIVE = 100_000
BULK = 500

#: Pace of admission: workloads per batch, seconds between batches, and number of batches, through a
#: queue without quota.
BATCH, EVERY, ROUNDS = 30, 0.1, 120
QUESTIONS = 5

_FREE = "  - selector: [{ key: team, operator: in, values: [free] }]\n    resource_queue: free\n"
CONFIG = crowd.CONFIG.replace("scheduling_rules:\n", f"  - name: free\nscheduling_rules:\n{_FREE}")

#: Team 3 moves to the queue of team 4, no rule matches team 7, and team 0 has a new and smaller
#: queue.
DRAFT = (
    CONFIG.replace("resource_queue: team-3\n", "resource_queue: team-4\n")
    .replace("values: [team-7]", "values: [team-77]")
    .replace("team-0\n", "team-0b\n")
    .replace("nominal_quota: 200 }", "nominal_quota: 100 }", 1)
)


def run() -> Iterator[Measured]:
    """Compute impacts when idle, then under load, and finally apply the draft."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        api = product.api()
        _fill(api)
        alone = [_ask(api, DRAFT + f"# {number}\n") for number in range(QUESTIONS)]
        feed = _Feed(api)
        rate, delay = _pace(api, feed)
        asking = _Asking(product)
        asking.start()
        rate_meanwhile, delay_meanwhile = _pace(api, feed)
        asking.stop()
        _check(api, alone[0].result)
    steps = min(each.steps for each in alone)
    assert steps >= 3, f"progress was seen {steps} times"
    what = f"{LIVE:,} live and recorded"
    yield Measured(
        name=f"impact on {what}",
        value=median(each.seconds for each in alone),
        unit="s",
        at_most=5,
    )
    yield Measured(
        name=f"impact on {what} while admission continues",
        value=median(each.seconds for each in asking.answers),
        unit="s",
        at_most=5,
    )
    yield Measured(name="admission at its pace, without impact", value=rate, unit="per s")
    yield Measured(
        name="the same beside impact",
        value=rate_meanwhile,
        unit="per s",
        at_least=0.95 * rate,
    )
    yield Measured(name="request to admission, without impact", value=delay, unit="ms")
    yield Measured(
        name="the same beside impact",
        value=delay_meanwhile,
        unit="ms",
        at_most=2 * delay,
    )


class _Answer:
    """One impact: its duration, the number of progress reports, and its result."""

    def __init__(self, seconds: float, steps: int, result: dict[str, Any]) -> None:
        self.seconds, self.steps, self.result = seconds, steps, result


class _Asking(threading.Thread):
    """Requests one impact after the other over a separate connection."""

    def __init__(self, product: Product) -> None:
        super().__init__(daemon=True)
        self._api = product.api()
        self._over = threading.Event()
        self.answers: list[_Answer] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Request impacts until stopped."""
        try:
            while not self._over.is_set():
                self.answers.append(_ask(self._api, f"{DRAFT}# again {len(self.answers)}\n"))
        except BaseException as error:
            self.failure = error
            raise

    def stop(self) -> None:
        """Stop after the present impact."""
        self._over.set()
        self.join(60)
        assert self.failure is None, self.failure
        assert self.answers


def _fill(api: Api) -> None:
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    for first in range(0, LIVE, BULK):
        _submit(api, [crowd.workload(number) for number in range(first, first + BULK)])
    _wait(lambda: _counts(api)["pending"] == LIVE - RUNNING)
    assert _counts(api)["admitted"] == RUNNING
    _wait(lambda: api.get("/queues/team-19")["counts"]["pending"] == (LIVE - RUNNING) // 20)


def _ask(api: Api, text: str) -> _Answer:
    start = time.perf_counter()
    asked = api.post("/config/impact", {"text": text})
    seen = {asked["done"]}
    while (run := api.get(f"/config/impact/{asked['id']}"))["state"] in ("waiting", "running"):
        seen.add(run["done"])
        time.sleep(0.02)
    seconds = time.perf_counter() - start
    assert run["state"] == "done", run
    return _Answer(seconds, len(seen), run["result"])


class _Feed:
    """The decisions from one number on."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._after = 0
        while self._next():
            pass

    def _next(self) -> list[dict[str, Any]]:
        path = f"/decisions?after={self._after}&limit=1000"
        rows: list[dict[str, Any]] = self._api.get(path)["results"]
        self._after = rows[-1]["seq"] if rows else self._after
        return rows

    def follow(self, ids: list[str]) -> None:
        """Wait until each of *ids* was admitted exactly once."""
        waiting = set(ids)
        deadline = time.monotonic() + 120
        while waiting:
            assert time.monotonic() < deadline, f"{len(waiting)} not admitted"
            rows = self._next()
            for row in rows:
                assert row["outcome"] == "admitted", row
                waiting.remove(row["workload"]["id"])
            if not rows:
                time.sleep(0.005)


def _pace(api: Api, feed: _Feed) -> tuple[float, float]:
    """Return admissions per second, and the median milliseconds from submission to finish."""
    took = []
    start = time.perf_counter()
    for number in range(ROUNDS):
        begun = time.perf_counter()
        feed.follow(_submit(api, [_free() for _ in range(BATCH)]))
        took.append((time.perf_counter() - begun) * 1000)
        time.sleep(max(0, start + (number + 1) * EVERY - time.perf_counter()))
    return ROUNDS * BATCH / (time.perf_counter() - start), median(took)


def _check(api: Api, told: dict[str, Any]) -> None:
    """Apply the draft and check that the predicted impact happens."""
    live = {group["outcome"]: group["count"] for group in told["live"]["outcomes"]}
    waiting = (LIVE - RUNNING) // crowd.QUEUES
    # 300 of the 350 gpus of the new queue are used by the pending workloads of team 0.
    assert live["rejected"] == waiting, live
    assert live["moved"] + live["starts"] >= 2 * waiting, live
    history = {name: each["runs"] for name, each in told["history"]["outcomes"].items()}
    assert sum(history.values()) == LIVE
    assert history["rejected"] == LIVE // crowd.QUEUES, history
    assert history["moved"] == 2 * (LIVE // crowd.QUEUES), history
    before = _counts(api)
    version = {"dialect": "native", "text": DRAFT, "message": "", "expected_version": 1}
    api.post("/config/versions", version, expect=201)
    _wait(lambda: _counts(api)["rejected"] == before["rejected"] + live["rejected"])
    _wait(lambda: _counts(api)["admitted"] == before["admitted"] + live["starts"])
    for row in told["live"]["over"]:
        usage = api.get(f"/queues/{row['queue']}")["usage"]
        assert any(
            (each["flavor"], each["resource"], each["used"])
            == (row["flavor"], row["resource"], row["used"])
            for each in usage
        ), row


def _free() -> dict[str, Any]:
    return {"name": "passes", "type": "job", "tags": {"team": "free"}, "requests": {"gpu": 1}}


def _submit(api: Api, workloads: list[dict[str, Any]]) -> list[str]:
    ids: list[str] = api.post("/workloads", {"workloads": workloads})["ids"]
    return ids


def _counts(api: Api) -> dict[str, int]:
    counts: dict[str, int] = api.get("")["counts"]
    return counts


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "not done within 300 s"
        time.sleep(0.1)
