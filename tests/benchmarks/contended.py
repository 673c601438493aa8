"""
Explanations of pending workloads, and changes that would start them, in the worst case.

One cohort of 200 queues that preempt each other, with 8,000 running and 3,000 pending workloads;
and the response times of another organization while twelve explanations are requested at once.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from random import Random

from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import Reader
from tests.product import Api
from tests.worlds import PASSWORD
from tests.worlds.served import Served, serving

#: Number of explained workloads; each is asked about once, so that no answer is cached.
SAMPLES = 40
#: Requests before the measurement.
WARM_UP = 60
#: Concurrent explanations, and the seconds for which they are requested.
AT_ONCE, SECONDS = 12, 20
EXPLANATION_MS, CHANGES_MS, OTHERS_MS = 50, 1_000, 200


def run() -> Iterator[Measured]:
    """Measure explanations, changes, and the pages of another organization beside them."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving("contended", Path(folder)) as served,
    ):
        ids = _waiting(served)
        # Each process loads the config when it first needs it.
        _asked(served, [f"/workloads/{uid}/explanation?as=markdown" for uid in ids[-WARM_UP:]])
        for what, query, at_most in (
            ("why it waits", "?as=markdown", EXPLANATION_MS),
            ("what would start it", "", CHANGES_MS),
        ):
            paths = [f"/workloads/{uid}/explanation{query}" for uid in ids[:SAMPLES]]
            value = _p95(_asked(served, paths))
            name = f"200 contended queues: {what}"
            yield Measured(name=name, value=value, unit="ms", at_most=at_most)
        yield from _beside(served, ids[SAMPLES:])


def _waiting(served: Served) -> list[str]:
    """Return ids of random pending workloads."""
    api = Api(served.product.port, served.world.org, served.world.secrets["viewer"])
    rows = api.get("/workloads?state=pending&limit=1000")["results"]
    api.close()
    return [each["id"] for each in Random(5).sample(rows, 10 * SAMPLES)]


def _asked(served: Served, paths: Sequence[str]) -> list[float]:
    """Return the milliseconds that each of *paths* takes; fail on an error."""
    took = []
    for path in paths:
        start = time.perf_counter()
        status, _ = _status(served, path)
        took.append((time.perf_counter() - start) * 1000)
        assert status == 200, (status, path)
    return took


def _beside(served: Served, ids: Sequence[str]) -> Iterator[Measured]:
    """Measure pages of another organization while one viewer requests many explanations at once."""
    over = threading.Event()
    answered: Counter[int] = Counter()

    def ask(number: int) -> None:
        draw = Random(number)
        while not over.is_set():
            status, seconds = _status(served, f"/workloads/{draw.choice(ids)}/explanation")
            answered[status] += 1
            # Wait as the answer asks: an earlier request gains nothing.
            over.wait(seconds)

    outsider = Reader(served.product, (served.world.outsider, PASSWORD))
    threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    took = []
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        start = time.perf_counter()
        outsider.get(f"/o/{served.world.other_org}/workloads")
        took.append((time.perf_counter() - start) * 1000)
        time.sleep(0.1)
    over.set()
    for thread in threads:
        thread.join(60)
    name = f"another organization's page beside {AT_ONCE} such questions"
    yield Measured(name=name, value=_p95(took), unit="ms", at_most=OTHERS_MS)
    for status, number in sorted(answered.items()):
        name = f"such questions answered with {status}"
        yield Measured(name=name, value=number / SECONDS, unit="per s")


def _status(served: Served, path: str) -> tuple[int, int]:
    """Return the status of the answer to the viewer, and the seconds after which to retry."""
    connection = HTTPConnection("127.0.0.1", served.product.port, timeout=300)
    headers = {"Authorization": f"Bearer {served.world.secrets['viewer']}"}
    connection.request("GET", f"/api/v1/orgs/{served.world.org}{path}", headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, int(answer.getheader("Retry-After", "0"))


def _p95(took: Sequence[float]) -> float:
    return sorted(took)[max(0, int(len(took) * 0.95) - 1)]
