"""Collected static files: the style sheets of the site are one file."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "static"


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """The folder of the collected files."""
    backend = {"BACKEND": "console.static_files.BundlingStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}
    settings.STATIC_ROOT = str(tmp_path)
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def style_sheet(folder: Path) -> Path:
    """Return the collected style sheet of the site."""
    manifest = json.loads((folder / "staticfiles.json").read_text())
    return folder / manifest["paths"]["css/site.css"]


def test_the_style_sheet_contains_all_imported_files_in_their_layers(folder: Path) -> None:
    text = style_sheet(folder).read_text()
    source = (SOURCE / "css/site.css").read_text()
    imports = re.findall(r'@import url\("([^"]+)"\) layer\((\w+)\);\n', source)
    blocks = [
        f"@layer {layer} {{\n{(SOURCE / 'css' / name).read_text()}}}\n" for name, layer in imports
    ]
    assert len(blocks) > 40
    # A path in an imported file would be relative to that file, not to the bundle.
    assert [name for (name, _), block in zip(imports, blocks, strict=True) if "url(" in block] == []
    head = source.partition("@import")[0]
    assert re.sub(r"\n+", "\n", text) == re.sub(r"\n+", "\n", head + "".join(blocks))


def test_copies_follow_the_bundle_and_collecting_again_keeps_its_name(folder: Path) -> None:
    first = style_sheet(folder)
    compressed = first.with_name(f"{first.name}.gz").read_bytes()
    assert gzip.decompress(compressed) == first.read_bytes()
    call_command("collectstatic", interactive=False, verbosity=0)
    assert style_sheet(folder) == first


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    call_command("collectstatic", interactive=False, verbosity=0, dry_run=True)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
