"""Weight of a page: the files and bytes that a browser with an empty cache loads for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.test import override_settings

from tests.budgets.markup import Markup
from tests.budgets.opening import Opened

#: Weights are rounded up to whole steps, so that few new words do not exceed a budget.
STEP_KB: Final = 10


class StaticFolder:
    """Static files, collected into a folder as for users."""

    def __init__(self, folder: Path) -> None:
        """Collect the files into *folder*."""
        from django.conf import settings

        backend = {"BACKEND": "console.static_files.BundlingStorage"}
        with override_settings(
            STORAGES={**settings.STORAGES, "staticfiles": backend}, STATIC_ROOT=str(folder)
        ):
            call_command("collectstatic", interactive=False, verbosity=0)
        self._folder = folder
        self._names = json.loads((folder / "staticfiles.json").read_text())["paths"]

    def weigh(self, page: Markup) -> tuple[int, int]:
        """Return the number of files of a page with its own, and their size in kB, rounded up."""
        size = page.size + sum(map(self._size, page.static))
        return 1 + len(page.static) + page.parts, -(-size // (1000 * STEP_KB)) * STEP_KB

    def _size(self, name: str) -> int:
        file = self._folder / self._names[name]
        compressed = file.with_name(f"{file.name}.gz")
        # Files that do not shrink have no compressed copy.
        return (compressed if compressed.exists() else file).stat().st_size


def heaviest(found: Iterable[Opened], static: StaticFolder) -> dict[str, tuple[int, int]]:
    """Return the most files and the most kB of the pages in *found*, by route."""
    most: dict[str, tuple[int, int]] = {}
    for each in found:
        if each.markup:
            files, size = static.weigh(each.markup)
            known = most.get(each.address.route, (0, 0))
            most[each.address.route] = (max(known[0], files), max(known[1], size))
    return most
