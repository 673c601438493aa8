"""
Rewrite the budgets from the present queries in the worlds: `python -m tests.budgets`.

It prints increases and decreases. The test checks against the files, so review their diff before
committing: a larger budget means that a page sends more queries.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import django

from tests.budgets.files import read_budgets, write_budgets

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["TEST_DATABASE_URL"] = ""


def main() -> None:
    """Open every address in all worlds and write the maximum number of queries of each."""
    django.setup()
    from django.test.utils import setup_test_environment

    from console import heartbeat
    from tests.worlds import page_patterns, path_patterns
    from tests.worlds.addresses import api_addresses, page_addresses
    from tests.worlds.world import World

    setup_test_environment()
    # As in tests, there is no broker to report a live worker.
    heartbeat._cached = [(time.monotonic() + 3600, heartbeat.Pulse.BEATING)]
    with tempfile.TemporaryDirectory() as folder:
        for name, told, addresses, client in (
            ("pages.toml", page_patterns.PAGES, page_addresses, World.browser),
            ("paths.toml", path_patterns.PATHS, api_addresses, World.program),
        ):
            patterns = [each for some in told.values() for each in some]
            most = _most(Path(folder), addresses, client)
            before = read_budgets(name)
            after = {each: most.get(each, before.get(each, 0)) for each in patterns}
            for pattern in patterns:
                if after[pattern] != before.get(pattern):
                    told_before = before.get(pattern, "none")
                    sys.stdout.write(f"{name}: {told_before} -> {after[pattern]}  {pattern}\n")
            write_budgets(name, after)


def _most(folder: Path, addresses: Callable, client: Callable) -> dict[str, int]:
    from tests.budgets.opening import open_twice
    from tests.worlds import OPENED
    from tests.worlds.connected import connected
    from tests.worlds.stored import stored

    most: dict[str, int] = {}
    for name in OPENED:
        found = stored(name, Path(os.environ.get("KEPT_WORLDS", folder / "worlds")))
        copy = folder / f"{name}.sqlite3"
        found.copy(copy)
        with connected(copy):
            reader = client(found.world, "owner")
            for address in addresses(found.world):
                opened = open_twice(reader, address)
                taken = len(opened.statements)
                most[address.pattern] = max(most.get(address.pattern, 0), taken)
    return most


if __name__ == "__main__":
    main()
