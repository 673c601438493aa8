"""An impact run whose worker is killed is reported as failed, and the next run succeeds."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.product import Api, Product

#: Enough workloads for the run to take a while.
PENDING = 20_000
BULK = 500

CONFIG = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 1}]}
scheduling_rules:
  - resource_queue: train
"""

GONE = "The worker of this run has stopped. Start the run again."


def _kill_the_child(product: Product) -> None:
    """Kill the child process that runs the task; its parent stays."""
    os.kill(product.children("impact@")[-1], signal.SIGKILL)


def _kill_the_worker(product: Product) -> None:
    """Kill the whole worker, so that its message is not returned to the queue."""
    for pid in product.children("impact@"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def api(product: Product, organizations: Iterator[str]) -> Api:
    """The API of an organization with many pending workloads and one that runs."""
    api = product.api(next(organizations))
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    one = {"name": "train", "requests": {"gpu": 1}}
    for _ in range(0, PENDING, BULK):
        api.post("/workloads", {"workloads": [one] * BULK})
    _wait(lambda: api.get("")["counts"]["pending"] == PENDING - 1)
    return api


@pytest.mark.parametrize("product", ["sqlite"], ids=["shared-sqlite"], indirect=True)
@pytest.mark.parametrize("kill", [_kill_the_child, _kill_the_worker])
def test_killed_run_is_reported_and_can_be_repeated(
    kill: Callable[[Product], None], product: Product, api: Api
) -> None:
    text = f"{CONFIG}# {kill.__name__}\n"
    run = api.post("/config/impact", {"text": text})["id"]
    _wait(lambda: _run(api, run)["state"] == "running", 0.005)
    kill(product)
    _wait(lambda: _run(api, run)["state"] != "running")
    lost = _run(api, run)
    assert (lost["state"], lost["error"], lost["result"]) == ("failed", GONE, None)
    again = api.post("/config/impact", {"text": text})["id"]
    assert again != run
    _wait(lambda: _run(api, again)["state"] == "done")
    live = _run(api, again)["result"]["live"]
    assert (live["running"], live["pending"], live["outcomes"]) == (1, PENDING - 1, [])
    # No other process was disturbed.
    assert api.get("")["counts"]["pending"] == PENDING - 1


def _run(api: Api, run: str) -> Any:
    return api.get(f"/config/impact/{run}")


def _wait(condition: Callable[[], bool], pause: float = 0.1) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "not done within 120 s"
        time.sleep(pause)
