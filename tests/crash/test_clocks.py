"""The clock of a worker is set an hour forward and back under load; then the worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from console.celery import CHECK_UPS, IMPACT, WEBHOOKS
from tests.crash.load import PATIENCE
from tests.crash.products import databases
from tests.crash.under_load import A_WHILE, RECOVERY, checked_load
from tests.product import ROOT, Product

#: Celery as `python -m celery` runs it. libfaketime leaves the monotonic clock alone and then
#: rejects every sleep of Python that uses it, so this program sleeps with `select`.
_CELERY = """
import select
import time
time.sleep = lambda seconds: select.select((), (), (), seconds)
from celery.__main__ import main
main()
"""


@pytest.mark.parametrize("product", databases("postgresql"), ids="shared-{}".format, indirect=True)
def test_a_worker_whose_clock_is_set(product: Product, org: str, tmp_path: Path) -> None:
    preloaded = _fake_clock()
    with checked_load(product, org) as load:
        for hours in (1, -1):
            with _worker(product, preloaded, tmp_path) as worker:
                worker.decides()
                worker.set_clock(hours)
                worker.decides()
                time.sleep(A_WHILE)
            assert load.probe() < RECOVERY


class _Worker:
    """An additional worker."""

    def __init__(self, folder: Path) -> None:
        self.log, self.clock = folder / "log", folder / "clock"

    def set_clock(self, hours: int) -> None:
        """Shift the clock of the worker by *hours*."""
        self.clock.write_text(f"{hours:+d}h\n")

    def decides(self) -> None:
        """Wait until the worker has decided something with its present clock."""
        hours = self.clock.read_text()
        now = time.time() + 3600 * int(hours.removesuffix("h\n"))
        deadline = time.monotonic() + PATIENCE
        while not any(abs(moment - now) < 2 * PATIENCE for moment in self._decided()):
            assert time.monotonic() < deadline, f"it decided nothing:\n{self.log.read_text()}"
            time.sleep(0.1)

    def _decided(self) -> Iterator[float]:
        whole, _, _ = self.log.read_text().rpartition("\n")
        for line in whole.splitlines():
            if '"batch decided"' in line:
                yield datetime.fromisoformat(json.loads(line)["timestamp"]).timestamp()


@contextmanager
def _worker(product: Product, preloaded: Path, folder: Path) -> Iterator[_Worker]:
    """Start a worker whose clock can be set, and kill it at the end."""
    worker = _Worker(folder)
    worker.set_clock(0)
    with worker.log.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _CELERY, "--quiet", "--app", "console.celery", "worker",
             "--hostname", "elsewhere@%h", "--concurrency", "1",
             "--exclude-queues", f"{IMPACT},{CHECK_UPS},{WEBHOOKS}",
             "--without-gossip", "--without-mingle"],
            cwd=ROOT,
            env={
                **product.environment,
                "DJANGO_SETTINGS_MODULE": "console.settings",
                "LOG_FORMAT": "json",
                "LD_PRELOAD": str(preloaded),
                "FAKETIME_TIMESTAMP_FILE": str(worker.clock),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            },
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield worker
        assert process.poll() is None
    finally:
        # Killed at any point: its leases have times of another hour.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _fake_clock() -> Path:
    """Return the path of the library that changes the clock of a process (libfaketime)."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        missing = "There is no libfaketime: install it (on Debian: apt install faketime)."
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found[0]
