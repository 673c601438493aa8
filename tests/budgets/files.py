"""Reader and writer of the budget files: maximum queries per pattern, weights per route."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent

#: Name of a file -> its header lines.
HEADS: Final[Mapping[str, str]] = {
    "pages.toml": "# The most queries that each page may take, whatever the organization holds.\n",
    "paths.toml": "# The most queries that each path of the API may take, whatever there is.\n",
    "weights.toml": (
        "# The most files of a page and kB of its HTML by route, and of static files, compressed.\n"
    ),
}


def read_budgets(name: str) -> dict[str, Any]:
    """Return the budgets of a file by pattern, or by route for weights."""
    return tomllib.loads((FOLDER / name).read_text())


def write_budgets(name: str, budgets: Mapping[str, object]) -> None:
    """Rewrite a file in the order of *budgets*."""
    lines = (f"{json.dumps(key)} = {json.dumps(most)}\n" for key, most in budgets.items())
    (FOLDER / name).write_text(HEADS[name] + "".join(lines))
