"""What is held true after something went wrong with the machine, under load."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.crash.load import Load
from tests.crash.test_kills import RECOVERY
from tests.crash.truth import hold_feed, hold_outcomes, hold_rows
from tests.product import Product

#: Seconds for which something is wrong.
A_WHILE = 8


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
