"""The product's source files, each parsed once for all that is asked of them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax(path: Path) -> ast.Module:
    """Return what a file of source says."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return everything in a file of source, in no particular order."""
    return tuple(ast.walk(syntax(path)))
