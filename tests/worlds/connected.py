"""Context manager that connects Django's default database to a SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections


@contextmanager
def connected(path: Path) -> Iterator[None]:
    """Connect the default database of this process to the SQLite file at *path*."""
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
