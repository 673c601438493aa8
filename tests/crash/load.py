"""The load of crash tests: a submitter and an executor that retry until they are answered."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any

from tests.product import Answer, Api, Product

#: Workloads submitted per second. Products of several tests share the processors, and each has to
#: decide that many; `make soak`, which runs one test at a time, sets more than it can decide.
RATE = int(os.environ.get("CRASH_RATE", "60"))

#: Requests per second.
REQUESTS = 10

#: Seconds that a workload runs.
RUNS = 0.1

#: Seconds between two rounds of the executor, each of which reads decisions and finishes workloads.
#: Most of the processor time of a load is in its requests, and shorter rounds only add more of
#: them.
PAUSE = 0.1

#: Seconds after which a missing answer is a failure of the product.
PATIENCE = 120

#: Quota of two thirds of a GPU per workload of a second: some workloads wait, some are preempted.
CONFIG = f"""
resource_flavors:
  - name: any
resource_queues:
  - name: train
    preemption: {{within_resource_queue: lower_priority}}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {{name: any, resources: [{{name: gpu, nominal_quota: {RATE * 2 // 3}}}]}}
  - name: open
scheduling_rules:
  - selector: [{{key: team, operator: in, values: [probe]}}]
    resource_queue: open
  - selector: [{{key: team, operator: in, values: [research]}}]
    resource_queue: train
    priority_policy: {{default: 50, min: 0, max: 100, on_violation: reject}}
"""


class Caller:
    """Calls the API and repeats each request until it is answered."""

    def __init__(self, api: Api) -> None:
        self._api = api
        #: Status and code of the server errors after which requests were repeated.
        self.refusals: set[tuple[int, str]] = set()

    def get(self, path: str) -> Any:
        """Return the body of a path below the organization."""
        return self._until_answered("GET", path).body

    def post(self, path: str, body: Any = None, key: str = "") -> Answer:
        """Send *body* until it is accepted or refused; a *key* makes the repetition harmless."""
        return self._until_answered("POST", path, body, key)

    def _until_answered(self, method: str, path: str, body: Any = None, key: str = "") -> Answer:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self._api.request(method, path, body, key=key)
            except (OSError, HTTPException, ValueError):
                self._api.close()
                answer = None
            if answer is not None and answer.status < 500:
                return answer
            if answer is not None and isinstance(answer.body, dict):
                self.refusals.add((answer.status, answer.body["code"]))
            assert time.monotonic() < deadline, f"no answer within {PATIENCE} s: {answer}"
            time.sleep(0.1)


class Load:
    """The submitter and the executor of one organization, and the answers that they got."""

    def __init__(self, product: Product, org: str = "main", *, is_new: bool = True) -> None:
        """Apply CONFIG in *org*, or continue with the workloads of an earlier load."""
        self.org = org
        self._product = product
        self._submitter = Caller(product.api(org))
        self._executor = Caller(product.api(org))
        self._prober = Caller(product.api(org))
        #: Ids of accepted workloads, and whether a rule matches them.
        self.accepted: dict[str, bool] = {}
        #: The feed as read by the executor: number, workload, outcome.
        self.feed: list[tuple[int, str, str]] = []
        #: Ids of the finished workloads, and of those that no rule matches.
        self.finished: set[str] = set()
        self.rejected: set[str] = set()
        #: Workloads to finish, and the time at which each is due.
        self._running: dict[str, float] = {}
        self._over = threading.Event()
        self._failures: list[BaseException] = []
        if is_new:
            version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
            answer = self._prober.post("/config/versions", version)
            assert answer.status == 201, answer
        else:
            self._read_workloads()

    @property
    def refusals(self) -> set[tuple[int, str]]:
        """Status and code of the server errors after which requests were repeated."""
        return self._submitter.refusals | self._executor.refusals | self._prober.refusals

    @contextmanager
    def running(self) -> Iterator[None]:
        """Submit and execute workloads during the context; raise the first failure at its end."""
        self._over.clear()
        threads = [
            threading.Thread(target=self._keep, args=(work,), daemon=True)
            for work in (self._submit, self._execute)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join(2 * PATIENCE)
        assert not any(thread.is_alive() for thread in threads)
        if self._failures:
            raise self._failures[0]

    def drain(self) -> None:
        """Execute all workloads until each accepted one is finished or rejected."""
        deadline = time.monotonic() + PATIENCE
        while self.finished | self.rejected != set(self.accepted):
            assert not self._failures, self._failures
            assert time.monotonic() < deadline, f"not drained within {PATIENCE} s"
            self._execute_once()
            time.sleep(PAUSE)

    def probe(self) -> float:
        """Submit a workload that fits, and return the seconds until it was admitted."""
        begun = time.monotonic()
        (uid,) = self.submit_for_teams(self._prober, ["probe"])
        while self._prober.get(f"/workloads/{uid}")["state"] == "pending":
            assert time.monotonic() < begun + PATIENCE, (
                f"not decided within {PATIENCE} s: {self._product.checks()}\n"
                f"{self._product.output()[-5000:]}"
            )
            time.sleep(0.05)
        return time.monotonic() - begun

    def _read_workloads(self) -> None:
        """Read all workloads of the organization, as an executor without stored state does."""
        path: str | None = "/workloads?limit=1000"
        while path is not None:
            page = self._prober.get(path)
            for each in page["results"]:
                self.accepted[each["id"]] = each["labels"]["team"] != "unknown"
                if each["state"] == "finished":
                    self.finished.add(each["id"])
            path = page["next"] and f"/workloads?limit=1000&cursor={page['next']}"

    def _keep(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._failures.append(error)

    def _submit(self) -> None:
        teams = ["unknown", *["research"] * 9]
        begun, sent = time.monotonic(), 0
        # Sending follows the clock: late requests are sent as soon as possible.
        while not self._over.wait(max(0.0, begun + sent / REQUESTS - time.monotonic())):
            open_ones = len(self.accepted) - len(self.finished) - len(self.rejected)
            # All workloads have to be finished in the end, so beyond a backlog of ten seconds few
            # are added.
            count = 1 if open_ones >= 10 * RATE else RATE // REQUESTS
            self.submit_for_teams(self._submitter, random.choices(teams, k=count))
            sent += 1

    def submit_for_teams(self, caller: Caller, teams: Iterable[str]) -> list[str]:
        """Submit a workload for each of *teams* and return the ids."""
        teams = list(teams)
        workloads = [
            {
                "name": "train",
                "type": "job",
                "tags": {"team": team},
                "priority": random.choice((10, 10, 10, 90)),
                "requests": {"gpu": random.choice((1, 1, 2, 4))},
            }
            for team in teams
        ]
        # The key stays the same until an answer comes: the accepted ids are then known for certain.
        answer = caller.post("/workloads", {"workloads": workloads}, key=secrets.token_hex(8))
        assert answer.status == 202, answer
        ids: list[str] = answer.body["ids"]
        fits = (team != "unknown" for team in teams)
        self.accepted.update(zip(ids, fits, strict=True))
        return ids

    def _execute(self) -> None:
        while not self._over.wait(PAUSE):
            self._execute_once()

    def _execute_once(self) -> None:
        after = self.feed[-1][0] if self.feed else 0
        for row in self._executor.get(f"/decisions?after={after}&limit=500")["results"]:
            uid, outcome = row["workload"]["id"], row["outcome"]
            self.feed.append((row["seq"], uid, outcome))
            if outcome == "admitted" and uid not in self.finished:
                self._running[uid] = time.monotonic() + RUNS
            elif outcome == "preempted" and self._running.pop(uid, None) is not None:
                # An earlier request without an answer may already have been applied.
                answer = self._executor.post(f"/workloads/{uid}/release", {})
                assert answer.status in (202, 409), answer
            elif outcome == "rejected":
                self.rejected.add(uid)
        due = [uid for uid, until in self._running.items() if until < time.monotonic()]
        if due and self._executor.post("/workloads/finish", {"ids": due[:500]}).status == 202:
            for uid in due[:500]:
                del self._running[uid]
                self.finished.add(uid)
