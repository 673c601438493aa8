"""
Three organizations that every page and every path is opened in: empty, the demo, and a large one.

Each is built in whatever database is connected, and returned as a `World` that says where its
things are. `tests.worlds.stored` keeps them as files of SQLite, `tests.worlds.served` runs
a product over one, and `tests.worlds.addresses` lists what can be opened in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.worlds.demo import build_demo
from tests.worlds.empty import build_empty
from tests.worlds.large import build_large
from tests.worlds.world import PASSWORD, World

__all__ = ["BUILDERS", "PASSWORD", "World", "build_demo", "build_empty", "build_large"]

#: Name of a world -> what builds it.
BUILDERS: Final[dict[str, Callable[[], World]]] = {
    "empty": build_empty,
    "demo": build_demo,
    "large": build_large,
}
