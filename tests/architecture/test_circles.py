"""Import cycles: none between packages, and only pairs of modules within a package."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.architecture.sources import nodes

ROOT: Final = Path(__file__).resolve().parent.parent.parent

#: Pairs of modules within a package that import each other. Pairs may be removed, and none may be
#: added.
PAIRS: Final = [
    ["console.engine.counterfactual.proof", "console.engine.counterfactual.trials"],
    ["console.engine.disciplines", "console.engine.state"],
    ["console.engine.model.decision", "console.engine.model.trace"],
]

Graph = Mapping[str, set[str]]


def _modules() -> dict[str, Path]:
    """Return the modules of the product by dotted name, without migrations."""
    found = {}
    for path in (ROOT / "console").rglob("*.py"):
        if "migrations" not in path.parts:
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def _imports(modules: Mapping[str, Path]) -> Graph:
    """Return the imports of each module: at the top, in functions, and for type checkers."""
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        names: set[str] = set()
        for node in nodes(path):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path} has a relative import"
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    names.add(inner if inner in modules else str(node.module))
        graph[module] = (names & modules.keys()) - {module}
    return graph


def _packages(graph: Graph) -> Graph:
    """Return *graph* reduced to the folders and single modules directly under console/."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module, names in graph.items():
        own = _package(module)
        found[own] |= {_package(name) for name in names} - {own}
    return found


def _package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _circles(graph: Graph) -> list[list[str]]:
    """Return the sets of two or more nodes that reach each other."""
    reached = {node: _reached(graph, node) for node in graph}
    circles = {
        tuple(sorted(other for other in seen if node in reached.get(other, ())))
        for node, seen in reached.items()
        if node in seen
    }
    return [list(each) for each in sorted(circles)]


def _reached(graph: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    left: list[Iterable[str]] = [graph[start]]
    while left:
        for node in left.pop():
            if node not in seen:
                seen.add(node)
                left.append(graph.get(node, ()))
    return seen


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert _circles(graph) == [["a", "b", "c"], ["d", "e"]]


def test_packages_have_no_import_cycles() -> None:
    graph = _packages(_imports(_modules()))
    assert {"console.orgs", "console.workloads", "console.celery"} <= graph.keys()
    assert _circles(graph) == []


def test_module_cycles_are_known_pairs() -> None:
    assert _circles(_imports(_modules())) == PAIRS
