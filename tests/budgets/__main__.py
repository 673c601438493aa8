"""
Rewrite the budgets from the present pages in the worlds: `python -m tests.budgets`.

It prints increases and decreases. The test checks against the files, so review their diff before
committing: a larger budget means that a page sends more queries, or more files and bytes.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from tests.budgets.files import read_budgets, write_budgets

if TYPE_CHECKING:
    from tests.budgets.opening import Opened

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["TEST_DATABASE_URL"] = ""


def main() -> None:
    """Open every address in all worlds, and write the most queries and the weights."""
    django.setup()
    from django.test.utils import setup_test_environment

    from console import heartbeat
    from tests.budgets.weight import StaticFolder, weights_of
    from tests.worlds import page_patterns, path_patterns
    from tests.worlds.addresses import api_addresses, page_addresses
    from tests.worlds.world import World

    setup_test_environment()
    # As in tests, there is no broker to report a live worker.
    heartbeat._cached = [(time.monotonic() + 3600, heartbeat.Pulse.BEATING)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = _open_all(folder, page_addresses, World.browser)
        paths = _open_all(folder, api_addresses, World.program)
        weights = weights_of(pages, StaticFolder(folder / "static"))
    _rewrite("pages.toml", list(_all(page_patterns.PAGES)), _most_queries(pages))
    _rewrite("paths.toml", list(_all(path_patterns.PATHS)), _most_queries(paths))
    _rewrite("weights.toml", sorted(weights), {key: list(each) for key, each in weights.items()})


def _all(patterns_by_route: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for patterns in patterns_by_route.values():
        yield from patterns


def _open_all(folder: Path, addresses: Callable, client: Callable) -> list[Opened]:
    """Return the opened addresses of all worlds."""
    from tests.budgets.opening import open_twice
    from tests.worlds import OPENED
    from tests.worlds.connected import connected
    from tests.worlds.stored import stored

    opened = []
    for name in OPENED:
        found = stored(name, Path(os.environ.get("KEPT_WORLDS", folder / "worlds")))
        copy = folder / f"{name}.sqlite3"
        found.copy(copy)
        with connected(copy):
            reader = client(found.world, "owner")
            opened += [open_twice(reader, address) for address in addresses(found.world)]
    return opened


def _most_queries(found: list[Opened]) -> dict[str, int]:
    most: dict[str, int] = {}
    for each in found:
        pattern = each.address.pattern
        most[pattern] = max(most.get(pattern, 0), len(each.statements))
    return most


def _rewrite(name: str, keys: list[str], most: Mapping[str, Any]) -> None:
    """Write the budgets of *keys* and print the changes; what was not opened keeps its budget."""
    before = read_budgets(name)
    after = {key: most.get(key, before.get(key, 0)) for key in keys}
    for key, budget in after.items():
        if budget != before.get(key):
            sys.stdout.write(f"{name}: {before.get(key, 'none')} -> {budget}  {key}\n")
    write_budgets(name, after)


if __name__ == "__main__":
    main()
