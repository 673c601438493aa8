"""Reader and writer of the budget files: maximum number of queries per address pattern."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent

#: Name of a file -> its header lines.
HEADS: Final[Mapping[str, str]] = {
    "pages.toml": "# The most queries that each page may take, whatever the organization holds.\n",
    "paths.toml": "# The most queries that each path of the API may take, whatever there is.\n",
}


def read_budgets(name: str) -> dict[str, int]:
    """Return the budgets of a file by pattern."""
    return tomllib.loads((FOLDER / name).read_text())


def write_budgets(name: str, budgets: Mapping[str, int]) -> None:
    """Rewrite a file in the order of *budgets*."""
    lines = (f"{json.dumps(pattern)} = {count}\n" for pattern, count in budgets.items())
    (FOLDER / name).write_text(HEADS[name] + "".join(lines))
