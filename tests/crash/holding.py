"""Runs a load during a disturbance, then checks the results and the recovery time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.crash.load import Load
from tests.crash.truth import hold_feed, hold_outcomes, hold_rows
from tests.product import Product

#: Seconds within which a workload submitted after a crash is decided. Crashing several products at
#: once slows the machine down; `make soak`, which crashes one after the other, requires 10.
RECOVERY = float(os.environ.get("CRASH_RECOVERY", "30"))

#: Duration of a disturbance in seconds.
A_WHILE = 8


@contextmanager
def held(product: Product, org: str = "main") -> Iterator[Load]:
    """Run a load in *org* during the context, then check rows, feed, outcomes and recovery time."""
    load = Load(product, org)
    with load.running():
        time.sleep(1)
        yield load
        recovery = load.probe()
        time.sleep(1)
    print(f"{len(load.accepted)} accepted, {recovery:.1f} s until recovery")
    hold_rows(product, org)
    load.drain()
    hold_rows(product, org)
    hold_feed(product.api(org), load)
    hold_outcomes(load)
    assert recovery < RECOVERY
