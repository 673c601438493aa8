"""A worker's clock is an hour wrong, under load, and then the worker is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from console.celery import IMPACT, WEBHOOKS
from tests.crash.holding import A_WHILE, RECOVERY, held
from tests.crash.products import DATABASES, running_on
from tests.product import ROOT, Product


@pytest.mark.parametrize("database", DATABASES)
def test_a_worker_whose_clock_is_wrong(database: str, tmp_path: Path) -> None:
    preloaded = _fake_clock()
    with running_on(database, tmp_path / "home") as product, held(product) as load:
        for hours in (1, -1):
            _work(product, preloaded, hours)
            assert load.probe() < RECOVERY


def _work(product: Product, preloaded: Path, hours: int) -> None:
    """Have one more worker, whose clock is wrong, share the work for a while; then kill it."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "worker",
         "--hostname", "elsewhere@%h", "--concurrency", "1",
         "--exclude-queues", f"{IMPACT},{WEBHOOKS}", "--without-gossip", "--without-mingle"],
        cwd=ROOT,
        env={
            **product.environment,
            "DJANGO_SETTINGS_MODULE": "console.settings",
            "LD_PRELOAD": str(preloaded),
            "FAKETIME": f"{hours:+d}h",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        },
        start_new_session=True,
    )  # fmt: skip
    try:
        # Its own start takes some of it.
        time.sleep(2 * A_WHILE)
        assert worker.poll() is None
    finally:
        # In the middle of whatever it is at: its leases are those of another hour.
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def _fake_clock() -> Path:
    """Return the library that gives a process another time."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        missing = "There is no libfaketime: install it (on Debian: apt install faketime)."
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found[0]
