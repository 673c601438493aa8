"""Runs a load during a disturbance, then checks the results and the recovery time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.crash.invariants import check_feed, check_outcomes, check_rows
from tests.crash.load import Load
from tests.product import Product

#: Seconds within which a workload submitted after a crash is decided. Crashing several products at
#: once slows the machine down; `make soak`, which crashes one after the other, requires 10.
RECOVERY = float(os.environ.get("CRASH_RECOVERY", "30"))

#: Duration of a disturbance in seconds.
A_WHILE = 8


@contextmanager
def checked_load(product: Product, org: str = "main") -> Iterator[Load]:
    """Run a load in *org* during the context, then check rows, feed, outcomes and recovery time."""
    load = Load(product, org)
    with load.running():
        time.sleep(1)
        yield load
        recovery = load.probe()
        time.sleep(1)
    print(f"{len(load.accepted)} accepted, {recovery:.1f} s until recovery")
    check_rows(product, org)
    load.drain()
    check_rows(product, org)
    check_feed(product.api(org), load)
    check_outcomes(load)
    assert recovery < RECOVERY
