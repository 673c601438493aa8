"""Source files of the product, each parsed once for all tests."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax(path: Path) -> ast.Module:
    """Return the syntax tree of a source file."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of the syntax tree of a source file, in no particular order."""
    return tuple(ast.walk(syntax(path)))
