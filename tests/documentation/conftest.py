"""Fixtures: a folder of documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from console.documentation.library import Library, read_library

Write = Callable[..., Library]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes documents and other files, and reads them as a library."""

    def written(files: dict[str, str] | None = None, **documents: str) -> Library:
        folder = tmp_path / "docs"
        texts = {f"{name}.md": text for name, text in documents.items()} | (files or {})
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return read_library(folder)

    return written
