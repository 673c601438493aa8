"""
Random processes are killed under load: no workload is lost or started twice.

`CRASH_KILLS` sets the number of kills in a row: `make soak` kills 200.
"""

from __future__ import annotations

import os
import random
import signal
import time

from tests.crash.invariants import check_feed, check_outcomes, check_rows
from tests.crash.load import Load
from tests.crash.under_load import RECOVERY
from tests.product import WORKERS, Product

KILLS = int(os.environ.get("CRASH_KILLS", "10"))

#: Most kills before the product may recover.
MOST_AT_ONCE = 3

#: Processes to kill: words of the command lines of processes whose parent is in the product.
VICTIMS = (WORKERS, "gunicorn", "beat")


def _kill_one(product: Product, dice: random.Random) -> str:
    """Kill a process of the product that is neither its supervisor nor the broker."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        word = dice.choice(VICTIMS)
        # Parents and children of workers and of the web server.
        found = product.children(word)
        if found:
            try:
                os.kill(dice.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            return word
        time.sleep(0.05)
    raise AssertionError(f"there is nothing to kill:\n{product.output()[-5000:]}")


def test_kills_lose_and_repeat_no_workload(product: Product, org: str) -> None:
    dice = random.Random(7)
    load = Load(product, org)
    slowest, killed, begun = 0.0, 0, time.monotonic()
    with load.running():
        while killed < KILLS:
            for _ in range(min(dice.randint(1, MOST_AT_ONCE), KILLS - killed)):
                time.sleep(dice.uniform(0.05, 0.8))
                _kill_one(product, dice)
                killed += 1
            slowest = max(slowest, load.probe())
            # Kills matter only while many requests come in.
            time.sleep(dice.uniform(0.5, 1.5))
        took = time.monotonic() - begun
    print(
        f"{killed} killed in {took:.0f} s, {len(load.accepted) / took:.0f} accepted per s, "
        f"slowest recovery {slowest:.1f} s"
    )
    # Workloads are pending, running and preempting: the rows must be consistent now, too.
    check_rows(product, org)
    load.drain()
    check_rows(product, org)
    check_feed(product.api(org), load)
    check_outcomes(load)
    assert any(outcome == "preempted" for _, _, outcome in load.feed)
    assert slowest < RECOVERY
