"""
Organizations to open pages in: empty, the demo, a large one, and a contended one for searches.

Each is built in whatever database is connected, and returned as a `World` that says where its
things are. `tests.worlds.stored` keeps them as files of SQLite, `tests.worlds.served` runs
a product over one, and `tests.worlds.addresses` lists what can be opened in them.

Django is needed only by what builds, so that programs without it can name worlds and serve them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.worlds.world import PASSWORD, World

__all__ = ["BUILDERS", "OPENED", "PASSWORD", "World", "build_demo", "build_empty", "build_large"]


def build_empty() -> World:
    """Return an organization with its owner and a token of theirs, and nothing else."""
    from tests.worlds import empty

    return empty.build()


def build_demo() -> World:
    """Return the demo's organization, in which its traffic has been decided for a while."""
    from tests.worlds import demo

    return demo.build()


def build_large() -> World:
    """Return an organization of 100,000 workloads in 300 queues and 30 cohorts; on SQLite alone."""
    from tests.worlds import large

    return large.build()


def build_contended() -> World:
    """Return an organization of one cohort whose queues stop each other's work; on SQLite alone."""
    from tests.worlds import contended

    return contended.build()


#: Name of a world -> what builds it.
BUILDERS: Final[dict[str, Callable[[], World]]] = {
    "empty": build_empty,
    "demo": build_demo,
    "large": build_large,
    "contended": build_contended,
}

#: Those in which every page and every path is opened.
OPENED: Final = ("empty", "demo", "large")
