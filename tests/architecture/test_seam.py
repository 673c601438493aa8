"""Only a scheduler's own folders know it, so that adding one is adding folders."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
_DISCIPLINES: Final = ROOT / "console/engine/disciplines"
_DIALECTS: Final = ROOT / "console/dialects"

#: Files outside of these folders that import from them as yet. A file may leave this list, and none
#: may join it.
BASELINE: Final = frozenset({})


def _schedulers() -> dict[str, Path]:
    """Return the packages of schedulers, each with its folder."""
    disciplines = [each.parent for each in _DISCIPLINES.glob("*/discipline.py")]
    dialects = [each.parent for each in _DIALECTS.glob("*/schema.py")]
    return {
        ".".join(folder.relative_to(ROOT).parts): folder for folder in (*disciplines, *dialects)
    }


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_nothing_outside_a_schedulers_folders_imports_from_them() -> None:
    schedulers = _schedulers()
    assert {name.rpartition(".")[2] for name in schedulers} >= {"quota", "native", "kueue"}
    offenders = set()
    for path in (ROOT / "console").rglob("*.py"):
        if any(folder.name in path.parts for folder in schedulers.values()):
            # A language compiles to the discipline that it is made for, and lints of a discipline
            # are in a folder of its name.
            continue
        names = _imported(path)
        if any(
            name == package or name.startswith(f"{package}.")
            for name in names
            for package in schedulers
        ):
            offenders.add(str(path.relative_to(ROOT)))
    assert offenders == BASELINE
