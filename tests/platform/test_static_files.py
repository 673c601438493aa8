"""Collected static files: style sheets and scripts are bundled."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from posixpath import join, normpath

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import Context, Template
from pytest_django import Settings

from console.static_files import SCRIPT_BUNDLES

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


def collected(folder: Path, name: str) -> Path:
    """Return the collected file *name*, under the name that follows its content."""
    manifest = json.loads((folder / "staticfiles.json").read_text())
    return folder / manifest["paths"][name]


@pytest.mark.parametrize(("name", "count"), [("css/site.css", 50), ("css/ace.css", 1)])
def test_style_sheets_contain_all_imported_files_in_their_layers(
    folder: Path, name: str, count: int
) -> None:
    text = collected(folder, name).read_text()
    source = (SOURCE / name).read_text()
    imports = re.findall(r'@import url\("([^"]+)"\) layer\((\w+)\);\n', source)
    assert len(imports) >= count
    sheets = [Path(finders.find(normpath(join("css", path)))).read_text() for path, _ in imports]
    head = source.partition("@import")[0]
    blocks = (
        f"@layer {layer} {{\n{sheet}}}\n" for (_, layer), sheet in zip(imports, sheets, strict=True)
    )
    assert without_urls(text) == without_urls(head + "".join(blocks))


def without_urls(text: str) -> str:
    """Return a style sheet without the addresses of images and without empty lines."""
    return re.sub(r"\n+", "\n", re.sub(r'url\("[^"]*"\)', "url()", text))


def test_images_of_imported_style_sheets_are_found(folder: Path) -> None:
    sheet = collected(folder, "css/ace.css")
    images = re.findall(r'url\("(?!data:)([^"]+)"\)', sheet.read_text())
    assert len(images) == 26
    assert [image for image in images if not (sheet.parent / image).is_file()] == []


@pytest.mark.parametrize("bundle", SCRIPT_BUNDLES)
def test_bundles_run_the_console_s_scripts_in_functions(folder: Path, bundle: str) -> None:
    text = collected(folder, bundle).read_text()
    found = {name: Path(finders.find(name)).read_text() for name in SCRIPT_BUNDLES[bundle]}
    at = 0
    for name, script in found.items():
        part = f"(() => {{\n{script}}})();\n" if name.startswith("js/") else f"{script}\n;\n"
        assert text[at : at + len(part)] == part
        at += len(part)
        # The directive applies only at the beginning of a function.
        body = re.sub(r"^/\*.*?\*/\n", "", script, flags=re.DOTALL)
        assert not name.startswith("js/") or body.startswith('"use strict";')
    assert at == len(text)


def test_every_script_is_in_one_bundle() -> None:
    bundled = [name for parts in SCRIPT_BUNDLES.values() for name in parts if name[:3] == "js/"]
    assert sorted(bundled) == sorted(f"js/{path.name}" for path in SOURCE.glob("js/*"))


def test_in_development_pages_load_each_script(settings: Settings) -> None:
    page = Template('{% load ui %}{% script_bundle "js/site.js" %}')
    assert page.render(Context()) == '<script src="/static/js/site.js" defer></script>'
    settings.DEBUG = True
    assert page.render(Context()).splitlines() == [
        f'<script src="/static/{name}" defer></script>' for name in SCRIPT_BUNDLES["js/site.js"]
    ]


@pytest.mark.parametrize("name", ["css/site.css", *SCRIPT_BUNDLES])
def test_copies_follow_the_bundle_and_collecting_again_keeps_its_name(
    folder: Path, name: str
) -> None:
    first = collected(folder, name)
    compressed = first.with_name(f"{first.name}.gz").read_bytes()
    assert gzip.decompress(compressed) == first.read_bytes()
    call_command("collectstatic", interactive=False, verbosity=0)
    assert collected(folder, name) == first


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    call_command("collectstatic", interactive=False, verbosity=0, dry_run=True)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
