"""A worker that is killed again and again loses nothing and admits nothing twice."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.product import Api, Product, running

KILLS = 20

#: Workloads per second while the worker is being killed.
RATE = 200
BULK = 20

CONFIG = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 150}]}
scheduling_rules:
  - selector: [{key: team, operator: in, values: [research]}]
    resource_queue: train
"""


class Submitter(threading.Thread):
    """Hands in RATE workloads per second until told to stop; every tenth matches no rule."""

    def __init__(self, api: Api) -> None:
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        #: Ids of accepted workloads, and whether a rule takes them.
        self.accepted: dict[str, bool] = {}
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Submit in bulk requests of BULK."""
        try:
            while not self._over.wait(BULK / RATE):
                fits = [number % 10 != 0 for number in range(BULK)]
                answer = self._api.post("/workloads", {"workloads": [_workload(f) for f in fits]})
                self.accepted.update(zip(answer["ids"], fits, strict=True))
        except BaseException as error:
            self.failure = error
            raise

    def stop(self) -> None:
        """End after the present request."""
        self._over.set()
        self.join(30)


class Executor(threading.Thread):
    """Follows the decisions and finishes what was admitted, a little later."""

    def __init__(self, api: Api) -> None:
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        self.after = 0
        self.outcomes: dict[str, list[str]] = {}

    def run(self) -> None:
        """Read and finish until told to stop."""
        while not self._over.wait(0.05):
            admitted = self.read()
            if admitted:
                self._api.post("/workloads/finish", {"ids": admitted})

    def read(self) -> list[str]:
        """Read on in the feed and return the ids that were admitted."""
        rows = self._api.get(f"/decisions?after={self.after}&limit=500")["results"]
        for row in rows:
            self.outcomes.setdefault(row["workload"]["id"], []).append(row["outcome"])
            self.after = row["seq"]
        return [row["workload"]["id"] for row in rows if row["outcome"] == "admitted"]

    def read_all(self) -> dict[str, list[str]]:
        """Read to the end of the feed and return the outcomes by workload."""
        while self.read():
            pass
        return self.outcomes

    def stop(self) -> None:
        """End after the present round."""
        self._over.set()
        self.join(30)


def _workload(fits: bool) -> dict[str, Any]:
    tags = {"team": "research" if fits else "unknown"}
    return {"name": "train", "type": "job", "tags": tags, "requests": {"gpu": 1}}


def _kill_a_worker_process(product: Product, dice: random.Random) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for pid in dice.sample(found := product.children("celery"), len(found)):
            if "worker" in Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace"):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    return
        time.sleep(0.05)
    raise AssertionError(f"there is no worker to kill:\n{product.output()[-5000:]}")


def test_every_accepted_workload_is_decided_exactly_once(tmp_path: Path) -> None:
    dice = random.Random(7)
    with running(tmp_path) as product:
        api = product.api()
        version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
        api.post("/config/versions", version, expect=201)
        submitter, executor = Submitter(product.api()), Executor(product.api())
        submitter.start()
        executor.start()
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.2, 0.8))
            _kill_a_worker_process(product, dice)
        submitter.stop()
        assert submitter.failure is None
        accepted = submitter.accepted
        _wait_until(lambda: set(executor.outcomes) == set(accepted) and _pending(api) == 0)
        executor.stop()
        # The last ones keep running, so that there is usage to compare.
        last = api.post("/workloads", {"workloads": [_workload(fits=True)] * 40})["ids"]
        # They may have to wait until what was finished before has left.
        _wait_until(lambda: _admitted(executor.read_all()) >= set(last))
        for uid in last:
            accepted[uid] = True
        final = {
            uid: [outcome for outcome in made if outcome != "pending"]
            for uid, made in executor.outcomes.items()
        }
        assert final == {
            uid: ["admitted"] if fits else ["rejected"] for uid, fits in accepted.items()
        }
        assert Counter(map(len, executor.outcomes.values())).keys() <= {1, 2}
        assert len(accepted) > KILLS * BULK
        assert _usage(api) == _admitted_requests(api) >= len(last)


def _wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "not done within 120 s"
        time.sleep(0.1)


def _admitted(outcomes: dict[str, list[str]]) -> set[str]:
    return {uid for uid, made in outcomes.items() if "admitted" in made}


def _pending(api: Api) -> int:
    return len(api.get("/workloads?state=pending&limit=1")["results"])


def _usage(api: Api) -> float:
    return sum(row["used"] for row in api.get("/queues/train")["usage"])


def _admitted_requests(api: Api) -> float:
    rows = api.get("/workloads?state=admitted&queue=train&limit=1000")["results"]
    return sum(row["requests"]["gpu"] for row in rows)
