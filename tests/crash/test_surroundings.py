"""
The machine itself fails, under load: nothing is lost or done twice, and all goes on by itself.

A full disk, a broker that is gone for a minute, clocks that are an hour wrong, and a second
supervisor of the same database.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from console.celery import COMMON, LANES
from console.home import Home
from console.supervisor import broker
from tests.crash.load import Load
from tests.crash.products import DATABASES, running_on
from tests.crash.test_kills import RECOVERY
from tests.crash.truth import hold_feed, hold_outcomes, hold_rows
from tests.product import ROOT, Product, running

#: Seconds that the broker is gone.
GONE = 60

#: Seconds that the disk is full, a clock is wrong, and two supervisors run.
A_WHILE = 8

#: MiB of the disk that is filled.
DISK = 256


@contextmanager
def held(product: Product) -> Iterator[Load]:
    """Have a load while something is wrong; afterwards hold everything to each other."""
    load = Load(product)
    load.start()
    time.sleep(1)
    yield load
    recovery = load.probe()
    time.sleep(1)
    load.stop()
    print(f"{len(load.accepted)} accepted, {recovery:.1f} s until recovery")
    hold_rows(product)
    load.drain()
    hold_rows(product)
    hold_feed(product.api(), load)
    hold_outcomes(load)
    assert recovery < RECOVERY


@pytest.mark.parametrize("database", DATABASES)
def test_a_broker_that_is_gone_for_a_minute(database: str, tmp_path: Path) -> None:
    elsewhere = Home(tmp_path / "broker")
    command = broker.command(elsewhere)
    url = f"unix://{elsewhere.broker_socket}"
    server = subprocess.Popen(command)
    try:
        with (
            running_on(database, tmp_path / "home", REDIS_URL=url) as product,
            held(product) as load,
        ):
            server.kill()
            server.wait()
            before = len(load.accepted)
            time.sleep(GONE)
            # What is accepted meanwhile waits as rows.
            assert len(load.accepted) > before
            server = subprocess.Popen(command)
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("hours", [1, -1])
def test_a_worker_whose_clock_is_wrong(database: str, hours: int, tmp_path: Path) -> None:
    preloaded = _fake_clock()
    with running_on(database, tmp_path / "home") as product, held(product):
        lanes = ",".join((COMMON, *LANES))
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "worker",
             "--hostname", "elsewhere@%h", "--concurrency", "1", "--queues", lanes,
             "--without-gossip", "--without-mingle"],
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


@pytest.mark.parametrize("database", DATABASES)
def test_two_supervisors_of_one_database(database: str, tmp_path: Path) -> None:
    with running_on(database, tmp_path / "home") as product, held(product):
        url = product.environment.get("DATABASE_URL") or f"sqlite:///{Home(product.home).database}"
        keys = {"SECRET_KEY": Home(product.home).secret_key.read_text().strip()}
        with running(tmp_path / "another", DATABASE_URL=url, **keys) as other:
            time.sleep(A_WHILE)
            assert other.process.poll() is None
        again = subprocess.run(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT, env=dict(product.environment), capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert again.returncode == 1
        assert again.stderr.startswith(f"sluice: Sluice already runs on {product.home} as process ")


@pytest.mark.parametrize("database", DATABASES)
def test_a_full_disk(database: str, tmp_path: Path) -> None:
    with _disk(tmp_path / "disk") as disk:
        with running_on(database, disk / "home") as product, held(product) as load:
            assert load.refusals == set()
            ballast = disk / "ballast"
            _fill(ballast)
            # PostgreSQL has its rows elsewhere. SQLite has some room left in its log.
            deadline = time.monotonic() + 5 * A_WHILE
            while database == "sqlite" and not load.refusals:
                assert time.monotonic() < deadline, "nothing was refused"
                time.sleep(0.1)
            time.sleep(A_WHILE)
            before = len(load.accepted)
            ballast.unlink()
        assert len(load.accepted) > before
        expected = {(503, "database_unavailable")} if database == "sqlite" else set()
        assert load.refusals == expected


def _fake_clock() -> Path:
    """Return the library that gives a process another time."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        missing = "There is no libfaketime: install it (on Debian: apt install faketime)."
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found[0]


@contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    """Mount a small disk at *folder*; where that is not allowed, the test is left out."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m,mode=0777", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"No disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(path: Path) -> None:
    """Write until there is no room left."""
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(b"\0" * size) == size:
                    pass
            except OSError:
                continue
