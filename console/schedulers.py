"""External schedulers: config languages and disciplines from a folder outside the product."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

#: Package that finds its members by folder -> name of the corresponding external subfolder.
_PACKAGES: Final = {
    "console.dialects": "dialects",
    "console.engine.disciplines": "disciplines",
}


def add_folder(folder: Path) -> None:
    """
    Register the config languages in *folder*/dialects and the disciplines in *folder*/disciplines.

    They are imported as members of the product's packages. Call this function before any of them
    is used; adding a folder twice has no effect.
    """
    for package, name in _PACKAGES.items():
        path, outer = import_module(package).__path__, str(folder / name)
        if outer not in path:
            path.append(outer)
