"""Only the folders of a scheduler know it, so a new scheduler only adds folders."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
_DISCIPLINES: Final = ROOT / "console/engine/disciplines"
_DIALECTS: Final = ROOT / "console/dialects"

#: Files that still name a scheduler: a sample, examples of the API, and traces of Kueue's
#: performance test. Files may be removed from this list, and none may be added.
NAMING: Final = frozenset(
    {
        "console/api/schemas/configs.py",
        "console/supervisor/demo.py",
        "console/trial/play.py",
    }
)


def _schedulers() -> dict[str, Path]:
    """Return the packages of schedulers and their folders."""
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
        if any(folder.name in path.relative_to(ROOT).parts for folder in schedulers.values()):
            # A dialect compiles to its discipline, and the lints of a discipline are in a folder of
            # its name.
            continue
        names = _imported(path)
        if any(
            name == package or name.startswith(f"{package}.")
            for name in names
            for package in schedulers
        ):
            offenders.add(str(path.relative_to(ROOT)))
    assert offenders == set()


def _strings(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_no_other_file_names_a_scheduler() -> None:
    schedulers = _schedulers()
    # Some names are also ordinary words: a kind of change, and a field of submissions.
    names = {folder.name for folder in schedulers.values()} - {"quota", "placement"}
    naming = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "console").rglob("*.py")
        if not any(folder.name in path.relative_to(ROOT).parts for folder in schedulers.values())
        and names & _strings(path)
    }
    assert naming == NAMING
    assert [
        str(path.relative_to(ROOT))
        for path in (ROOT / "templates").rglob("*.html")
        if any(name in path.read_text().lower() for name in names)
    ] == []
