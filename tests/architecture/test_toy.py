"""The toy scheduler consists of two folders, and no other module of the product names it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from console.engine.disciplines import Discipline
from console.engine.disciplines.basic_discipline import BasicDiscipline
from tests.architecture.test_imports import imports, within

ROOT: Final = Path(__file__).resolve().parent.parent.parent
TOY: Final = ROOT / "tests/toy"
LANGUAGE: Final = "dialects/fifo"
DISCIPLINE: Final = "disciplines/slots"


def _modules() -> list[Path]:
    return sorted(TOY.rglob("*.py"))


def test_the_toy_is_two_folders() -> None:
    files = [path for path in TOY.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    folders = {"/".join(path.relative_to(TOY).parts[:2]) for path in files}
    assert folders == {LANGUAGE, DISCIPLINE}


@pytest.mark.parametrize("name", ["fifo", "slots", "SLOTS", "LineRouting"])
def test_no_module_of_the_product_names_the_toy(name: str) -> None:
    words = {f'"{name}"', f"'{name}'", f".{name} ", f".{name}."}
    naming = [
        str(path.relative_to(ROOT))
        for folder in ("console", "templates", "static")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".html", ".js", ".css")
        and any(word in path.read_text("utf-8") for word in words)
    ]
    assert naming == []


def test_toy_is_as_pure_as_the_packages_that_it_joins() -> None:
    pure = {"console.engine", "console.dialects", "__future__"}
    standard = {"collections", "dataclasses", "importlib", "re", "typing"}
    assert {
        name for path in _modules() for name in imports(path) if not within(name, pure | standard)
    } == set()


def test_discipline_does_not_import_the_dialect() -> None:
    modules = [path for path in _modules() if DISCIPLINE in str(path)]
    assert [name for path in modules for name in imports(path) if "dialects" in name] == []


def test_the_discipline_and_the_recipe_have_every_method_of_the_protocol() -> None:
    text = (TOY / DISCIPLINE / "discipline.py").read_text("utf-8")
    recipe = (ROOT / "docs/adding-a-scheduler.md").read_text("utf-8")
    methods = {
        name
        for kind in Discipline.__mro__
        for name, value in vars(kind).items()
        if callable(value) and not name.startswith("_")
    }
    own = methods - set(vars(BasicDiscipline))
    assert own
    assert {name for name in own if f"    def {name}(" not in text} == set()
    assert {name for name in methods if f"`{name}`" not in recipe} == set()
    assert {name for name in methods if f"**`{name}`**" in recipe} == own
