"""Schedulers from outside: config languages and disciplines in a folder beside the product."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

#: The packages that find their members by folder, and the name of the outer folder for each.
_PACKAGES: Final = {
    "console.dialects": "dialects",
    "console.engine.disciplines": "disciplines",
}


def add_folder(folder: Path) -> None:
    """
    Let the product find the config languages in *folder*/dialects, and the disciplines beside them.

    They are imported as members of the packages of the product. Call it before any of them is
    used; a folder that was added before is not added again.
    """
    for package, name in _PACKAGES.items():
        path, outer = import_module(package).__path__, str(folder / name)
        if outer not in path:
            path.append(outer)
