"""
Failures of what workers depend on, under load: no workload is lost or started twice.

Broker, database, lost and repeated messages, a second beat, and a worker suspended beyond its
lease.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

import pytest
from redis import Redis

from console.celery import SHARDS
from console.home import Home
from console.workloads.lease import DURATION
from tests.crash.invariants import check_feed, check_outcomes, check_rows
from tests.crash.load import Load
from tests.crash.products import databases
from tests.crash.under_load import RECOVERY
from tests.postgres import find_binaries, restart
from tests.product import ROOT, WORKERS, Product

#: Seconds without an answer of the broker.
SILENCE = 5

#: Nudges the same organization in every shard, again and again. Sends each resulting message once
#: more, some of them late, and also messages without a nudge, so that two workers want the same
#: engine. Prints how many messages were sent twice.
_DOUBLED = """
import random
import time
from console import broker
from console.celery import SHARDS, app
from console.orgs.models import Organization
from console.workloads import wakeup
org = Organization.objects.get(slug={org!r}).pk
doubled = 0
for _ in range(20):
    for shard in SHARDS:
        wakeup.put(org, shard)
        called = broker.client().get(f"sluice:called:{{shard}}")
        doubled += called is not None
        for name in filter(None, (called, b"nobody's")):
            late = random.choice((0, 0, 1, 2))
            app.send_task(wakeup.ADMIT, args=[shard, name.decode()], queue=shard, countdown=late)
    time.sleep(0.1)
print(doubled)
"""


def _environment(product: Product) -> dict[str, str]:
    return {**product.environment, "DJANGO_SETTINGS_MODULE": "console.settings"}


def _processes(product: Product, word: str) -> list[int]:
    """Return the processes whose command line contains *word*; fail if there is none."""
    found = product.children(word)
    assert found, f"there is no {word}:\n{product.output()[-5000:]}"
    return found


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_broker(product: Product, org: str) -> None:
    """Kill the broker; the supervisor starts another."""
    _signal(_processes(product, "unixsocket"), signal.SIGKILL)


def silence_broker(product: Product, org: str) -> None:
    """Suspend the broker for a while."""
    found = _processes(product, "unixsocket")
    _signal(found, signal.SIGSTOP)
    time.sleep(SILENCE)
    _signal(found, signal.SIGCONT)


def lose_messages(product: Product, org: str) -> None:
    """Delete everything in the broker, with a message under way and the waiting organizations."""
    workers = _processes(product, WORKERS)
    deadline = time.monotonic() + 60
    with Redis(unix_socket_path=str(Home(product.home).broker_socket)) as broker:
        while not _flush_broker(broker, workers):
            assert time.monotonic() < deadline, "no shard had a nudged organization"
            time.sleep(0.3)


def _flush_broker(broker: Redis, workers: Iterable[int]) -> bool:
    """
    Suspend *workers*, and flush *broker* once a shard has an organization that waits.

    Return False if no shard has one for seconds: a worker suspended within a transaction blocks
    SQLite, and no workload can be submitted.
    """
    _signal(workers, signal.SIGSTOP)
    try:
        soon = time.monotonic() + 3
        while time.monotonic() < soon:
            waits = ((f"sluice:nudged:{shard}", f"sluice:called:{shard}") for shard in SHARDS)
            if any(broker.exists(*names) == 2 for names in waits):
                broker.flushall()
                return True
            time.sleep(0.05)
        return False
    finally:
        _signal(workers, signal.SIGCONT)


def double_messages(product: Product, org: str) -> None:
    """Send the same messages many times to all workers, some of them late."""
    doubled = product.manage("shell", "-c", _DOUBLED.format(org=org)).splitlines()[-1]
    assert int(doubled) > 0


def run_two_beats(product: Product, org: str) -> None:
    """Run a second beat for some rounds of the sweep."""
    schedule = product.home / "another-schedule"
    beat = subprocess.Popen(
        [sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "beat",
         "--schedule", str(schedule)],
        cwd=ROOT, env=_environment(product), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    time.sleep(8)
    beat.kill()
    beat.wait()


def stop_worker(product: Product, org: str, name: str) -> None:
    """Suspend a worker beyond its lease, while others are asked to do its work."""
    found = _processes(product, f"{name}@")
    _signal(found, signal.SIGSTOP)
    try:
        double_messages(product, org)
        time.sleep(DURATION.total_seconds() + 2)
    finally:
        _signal(found, signal.SIGCONT)


def stop_first_worker(product: Product, org: str) -> None:
    """Suspend the first worker."""
    stop_worker(product, org, "worker-0")


def stop_second_worker(product: Product, org: str) -> None:
    """Suspend the second worker."""
    stop_worker(product, org, "worker-1")


def restart_database(product: Product, org: str) -> None:
    """Crash PostgreSQL and start it again; SQLite has no process."""
    url = product.environment.get("DATABASE_URL")
    binaries = find_binaries()
    if url and binaries:
        restart(binaries, url)


DISTURBANCES = (
    kill_broker,
    silence_broker,
    lose_messages,
    double_messages,
    run_two_beats,
    stop_first_worker,
    stop_second_worker,
    restart_database,
)


@pytest.mark.parametrize("product", databases("postgresql"), ids="shared-{}".format, indirect=True)
def test_disturbances_lose_and_repeat_no_workload(product: Product, org: str) -> None:
    load = Load(product, org)
    recoveries = {}
    with load.running():
        for disturb in DISTURBANCES:
            time.sleep(1)
            disturb(product, org)
            recoveries[disturb.__name__] = round(load.probe(), 1)
    print(f"{len(load.accepted)} accepted, seconds until recovery: {recoveries}")
    check_rows(product, org)
    load.drain()
    check_rows(product, org)
    check_feed(product.api(org), load)
    check_outcomes(load)
    assert any(outcome == "preempted" for _, _, outcome in load.feed)
    assert max(recoveries.values()) < RECOVERY
