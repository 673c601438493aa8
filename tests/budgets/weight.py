"""Weight of a page: the files and bytes that a browser with an empty cache loads for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeAlias

from django.core.management import call_command
from django.test import override_settings

from tests.budgets.markup import Markup
from tests.budgets.opening import Opened

#: Sizes are rounded up to whole steps, so that few new words do not exceed a budget.
STEP_KB: Final = 10

#: Number of files, and their size in kB, rounded up.
Weight: TypeAlias = tuple[int, int]


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

    def size(self, name: str) -> int:
        """Return the compressed size of a file in bytes."""
        file = self._folder / self._names[name]
        compressed = file.with_name(f"{file.name}.gz")
        # Files that do not shrink have no compressed copy.
        return (compressed if compressed.exists() else file).stat().st_size


def weights_of(found: Iterable[Opened], static: StaticFolder) -> dict[str, Weight]:
    """
    Return the most files and kB of the pages in *found* by route, and the kB of their static files.

    The size of a page is that of its HTML alone: most static files are those of all pages.
    """
    pages: dict[str, Weight] = {}
    files: dict[str, Weight] = {}
    for each in found:
        if page := each.markup:
            most, size = pages.get(each.address.route, (0, 0))
            pages[each.address.route] = max(most, page.files), max(size, _rounded(page.size))
            files |= {name: (1, _rounded(static.size(name))) for name in page.static}
    return pages | dict(sorted(files.items()))


def cold_load(page: Markup, static: StaticFolder) -> tuple[int, int]:
    """Return the files and bytes that a browser without a cache loads for *page*."""
    return page.files, page.size + sum(map(static.size, page.static))


def _rounded(size: int) -> int:
    return -(-size // (1000 * STEP_KB)) * STEP_KB
