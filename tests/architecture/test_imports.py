"""Allowed imports between layers: engine <- dialects <- models, services <- tasks, api, pages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sources import nodes, syntax

ROOT = Path(__file__).resolve().parent.parent.parent
CONSOLE = ROOT / "console"

#: Pure layers: the packages of the product, and the other packages, that each may import.
PURE = {
    "engine": ({"console.engine"}, set()),
    "dialects": ({"console.engine", "console.dialects"}, {"re2", "yaml"}),
    "traffic": ({"console.traffic"}, set()),
    "bench": ({"console.engine", "console.bench"}, set()),
}

#: Apps with models.
APPS = (
    "orgs",
    "policies",
    "capacity",
    "configs",
    "workloads",
    "series",
    "accounting",
    "overview",
    "webhooks",
    "retention",
    "oidc",
)

#: The edges of the product: only modules of the same edge and URL configs import them.
EDGES = ("console.api", "console.pages", "console.supervisor", "console.traffic", "console.trial")


@cache
def imports(path: Path) -> list[str]:
    """Return the dotted names of all imports that run in a module."""
    found = []
    for node in _running(syntax(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes except those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        # Expressions contain no imports.
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _running(child)


def modules(folder: str = "") -> list[Path]:
    """Return the modules below a folder of the product, without migrations."""
    found = (CONSOLE / folder).rglob("*.py")
    return sorted(path for path in found if "migrations" not in path.parts)


def within(name: str, packages: set[str] | tuple[str, ...]) -> bool:
    """Return whether a dotted name is in one of *packages*."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def offenders(paths: list[Path], forbidden) -> list[str]:
    """Return `file: import` for every import that *forbidden* refuses."""
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in imports(path)
        if forbidden(name)
    ]


@pytest.mark.parametrize("layer", PURE)
def test_pure_layers_import_only_lower_layers(layer: str) -> None:
    own, others = PURE[layer]
    allowed = own | others | set(sys.stdlib_module_names)
    assert offenders(modules(layer), lambda name: not within(name, allowed)) == []


def test_only_edges_import_edges() -> None:
    starts = {
        "console.supervisor": (),
        "console.traffic": (
            "supervisor/demo_week.py",
            "supervisor/management",
            "workloads/management",
            "trial",
        ),
        "console.trial": ("workloads/management",),
        "console.api": ("urls.py",),
        "console.pages": ("urls.py",),
    }
    found = []
    for edge in EDGES:
        own = (edge.removeprefix("console."), *starts[edge])
        outside = [
            path for path in modules() if not path.relative_to(CONSOLE).as_posix().startswith(own)
        ]
        found += offenders(outside, lambda name, edge=edge: within(name, (edge,)))
    assert found == []


def test_shared_modules_import_no_app() -> None:
    shared = (
        *("bulk", "chunks", "errors", "exports", "migrating", "paging", "reading"),
        *("time_formats", "time_keys"),
    )
    paths = [
        path for path in modules() if path.relative_to(CONSOLE).parts[0].split(".")[0] in shared
    ]
    apps = tuple(f"console.{app}" for app in APPS)
    assert {path.relative_to(CONSOLE).parts[0].split(".")[0] for path in paths} == set(shared)
    assert offenders(paths, lambda name: within(name, apps)) == []


def test_nothing_imports_tasks() -> None:
    tasks = tuple(f"console.{app}.tasks" for app in APPS)
    assert offenders(modules(), lambda name: within(name, tasks)) == []


def test_models_import_neither_dialects_nor_services() -> None:
    models = [path for path in modules() if "models" in (path.stem, path.parent.name)]
    assert CONSOLE / "workloads/models/engine.py" in models
    forbidden = ("console.dialects", *(f"console.{app}.services" for app in APPS))
    assert offenders(models, lambda name: within(name, forbidden)) == []


def test_services_do_not_use_requests() -> None:
    services = [path for path in modules() if "services" in path.parts]
    forbidden = ("django.http", "django.shortcuts", "rest_framework")
    assert offenders(services, lambda name: within(name, forbidden)) == []


def test_pages_and_api_leave_the_live_state_to_services() -> None:
    edge = [*modules("api"), *modules("pages")]
    assert offenders(edge, lambda name: within(name, ("console.engine.state",))) == []


def test_pages_and_api_reach_rows_through_services_and_queries() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: .{node.attr}"
        for path in [*modules("api"), *modules("pages")]
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in {"objects", "save", "bulk_create"}
        # The password form of Django.
        if ast.unparse(node) != "form.save"
    ]
    assert found == []


def test_root_package_is_empty() -> None:
    """Imports of the package would be loaded together with the engine."""
    assert (CONSOLE / "__init__.py").read_text() == ""
