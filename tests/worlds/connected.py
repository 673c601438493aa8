"""Several databases in one process: Django's connection leads to a file for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections


@contextmanager
def connected(path: Path) -> Iterator[None]:
    """Have all connections lead to the file of SQLite at *path*."""
    usual = connections["default"]
    before = dict(connections.settings["default"])
    connections.settings["default"]["NAME"] = str(path)
    connections["default"] = connections.create_connection("default")
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"].update(before)
        connections["default"] = usual
