"""
Seeded organizations for tests of pages and of the API: empty, demo, large and contended.

A builder fills the connected database and returns a `World`, which holds the names and ids of
example objects. `tests.worlds.stored` stores worlds as SQLite files, `tests.worlds.served` runs a
product on a copy of a file, and `tests.worlds.addresses` lists the URLs of a world.

Only the builders import Django, so programs without Django can name and serve worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.worlds.world import PASSWORD, World

__all__ = ["BUILDERS", "OPENED", "PASSWORD", "World", "build_demo", "build_empty", "build_large"]


def build_empty() -> World:
    """Return an organization with only its owner and one API token of the owner role."""
    from tests.worlds import empty

    return empty.build()


def build_demo() -> World:
    """Return the demo organization after the engine has decided some of its traffic."""
    from tests.worlds import demo

    return demo.build()


def build_large() -> World:
    """Return an organization of 100,000 workloads in 300 queues and 30 cohorts; SQLite only."""
    from tests.worlds import large

    return large.build()


def build_contended() -> World:
    """Return an organization of one cohort whose queues preempt each other; SQLite only."""
    from tests.worlds import contended

    return contended.build()


#: Name of a world -> its builder.
BUILDERS: Final[dict[str, Callable[[], World]]] = {
    "empty": build_empty,
    "demo": build_demo,
    "large": build_large,
    "contended": build_contended,
}

#: Worlds in which the tests open every page and every API path.
OPENED: Final = ("empty", "demo", "large")
