"""
Workers are terminated one after the other under load, and each ends within its time limit.

Termination is not a kill: a worker writes its current batch and returns its lease, so that the next
worker need not wait until the lease expires.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.crash.load import PATIENCE
from tests.crash.products import databases
from tests.crash.under_load import RECOVERY, checked_load
from tests.product import ROOT, Product, catches

UNIT = (ROOT / "deploy" / "systemd" / "sluice-worker@.service").read_text()

#: Processes that `up` starts besides the web server, each as a word of its command line.
SUPERVISED = {
    "worker-0": "worker-0@",
    "worker-1": "worker-1@",
    "impact": "impact@",
    "webhooks": "webhooks@",
    "beat": "console.celery beat",
}

#: Instances of the unit.
INSTANCES = ("a", "b")


def _setting(name: str) -> str:
    """Return the value of *name* in the systemd unit."""
    found = re.search(rf"^{name}=(.+)$", UNIT, re.MULTILINE)
    assert found is not None
    return found[1]


class Worker:
    """An instance of the systemd unit, started with its command and stopped as systemd does."""

    def __init__(self, product: Product, instance: str) -> None:
        words = shlex.split(_setting("ExecStart").replace("%i", instance).replace("%%", "%"))
        assert Path(words[0]).name == "celery"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "celery", *words[1:]],
            cwd=ROOT,
            env=dict(product.environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _wait_until(self._is_up, f"worker {instance} does not come up")

    def stop(self) -> int:
        """Terminate the main process alone, and return its exit status; fail when it is late."""
        assert _setting("KillMode") == "mixed"
        self.process.terminate()
        try:
            return self.process.wait(int(_setting("TimeoutStopSec")))
        finally:
            self.process.kill()

    def _is_up(self) -> bool:
        """Return whether the worker handles signals and has its child process."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return catches(pid, signal.SIGTERM) and bool(children)


@pytest.mark.parametrize("product", databases("sqlite"), ids="shared-{}".format, indirect=True)
def test_no_lease_runs_out_while_workers_restart(product: Product, org: str) -> None:
    ended: dict[str, list[int]] = {}
    recoveries: dict[str, float] = {}
    with ExitStack() as started:
        with checked_load(product, org) as load:
            for name, word in SUPERVISED.items():
                ended[name] = _restart_supervised(product, name, word)
                recoveries[name] = round(load.probe(), 1)
            workers = {name: Worker(product, name) for name in INSTANCES}
            for worker in workers.values():
                started.callback(worker.stop)
            for name, worker in workers.items():
                ended[name] = [worker.stop()]
                recoveries[name] = round(load.probe(), 1)
                started.callback(Worker(product, name).stop)
        taken_over = _lease_takeovers(product.port, org)
    print(f"seconds until recovery: {recoveries}")
    assert ended == {name: [0] for name in (*SUPERVISED, *INSTANCES)}
    assert taken_over == 0
    assert max(recoveries.values()) < RECOVERY


def _restart_supervised(product: Product, name: str, word: str) -> list[int]:
    """Terminate a child of the supervisor; return the number of its exits by status."""
    # The process that works is a child of the one that is terminated.
    pid = product.children(word)[0]
    _wait_until(lambda: catches(pid, signal.SIGTERM), f"{name} does not come up")
    # The output includes exits of earlier tests.
    told = len(product.lines)
    os.kill(pid, signal.SIGTERM)

    def statuses() -> list[int]:
        found = re.findall(
            rf"The {name} process ended \(status (-?\d+)\) and was restarted\.",
            "".join(product.lines[told:]),
        )
        return [int(status) for status in found]

    _wait_until(lambda: bool(statuses()), f"{name} does not end")
    return statuses()


def _lease_takeovers(port: int, org: str) -> int:
    """Return how often the lease of *org* was taken from a process that had not returned it."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    assert "# TYPE sluice_lease_takeovers_total counter" in text
    counts = re.findall(
        rf'^sluice_lease_takeovers_total\{{\S*org="{org}"\S* (\S+)$', text, re.MULTILINE
    )
    return int(sum(map(float, counts)))


def _wait_until(happened: Callable[[], bool], failure: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, f"{failure} within {PATIENCE} s"
        time.sleep(0.05)
