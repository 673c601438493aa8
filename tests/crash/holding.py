"""What is held true after something went wrong with the machine, under load."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.crash.load import Load
from tests.crash.truth import hold_feed, hold_outcomes, hold_rows
from tests.product import Product

#: Seconds until what comes in after a crash is decided. Crashing several products at once makes a
#: machine slow; `make soak`, which crashes one after the other, asks for 10.
RECOVERY = float(os.environ.get("CRASH_RECOVERY", "30"))

#: Seconds for which something is wrong.
A_WHILE = 8


@contextmanager
def held(product: Product, org: str = "main") -> Iterator[Load]:
    """Have a load in *org* while something is wrong; then hold everything to each other."""
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
