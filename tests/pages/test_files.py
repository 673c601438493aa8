"""House rules for templates, style sheets and scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parent.parent.parent
CSS = sorted((ROOT / "static/css").rglob("*.css"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
COLOR = re.compile(r"#[0-9a-f]{3,8}\b(?!\))|\b(?:rgb|hsl|oklch)a?\(|light-dark\(", re.IGNORECASE)


def name(path: Path) -> str:
    """Return the path for test ids."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", CSS, ids=name)
def test_a_style_sheet_is_short_and_has_no_color_of_its_own(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 150
    if path.name != "tokens.css":
        assert COLOR.findall(text) == []


def test_every_style_sheet_is_in_a_layer() -> None:
    site = (ROOT / "static/css/site.css").read_text("utf-8")
    imported = set(re.findall(r'@import url\("([^"]+)"\) layer\(\w+\);', site))
    own = {path.relative_to(ROOT / "static/css").as_posix() for path in CSS}
    assert imported == own - {"site.css", "ace.css"}


def test_every_token_that_is_used_exists() -> None:
    tokens = set(re.findall(r"^\s*(--[\w-]+):", (ROOT / "static/css/tokens.css").read_text(), re.M))
    used = {token for path in CSS for token in re.findall(r"var\((--[\w-]+)", path.read_text())}
    assert used - tokens == set()


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
def test_a_template_compiles_and_a_part_says_what_it_takes(path: Path) -> None:
    get_template(path.relative_to(ROOT / "templates").as_posix())
    text = path.read_text("utf-8")
    if path.parent.name == "components" or path.name.startswith("_"):
        assert text.startswith(f"{{# {path.stem.lstrip('_')}: ")
    for include in re.findall(r"{% include [^%]+ %}", text):
        assert include.endswith(" only %}"), include


def test_every_icon_that_is_drawn_exists() -> None:
    icons = set(re.findall(r'<symbol id="(\w+)"', (ROOT / "static/img/icons.svg").read_text()))
    drawn = {
        icon for path in TEMPLATES for icon in re.findall(r'{% icon "(\w+)"', path.read_text())
    }
    assert drawn - icons == set()


@pytest.mark.parametrize("path", sorted((ROOT / "static/js").glob("*.js")), ids=name)
def test_a_script_is_short_and_evaluates_no_text(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 200
    assert re.findall(r"\beval\(|new Function|innerHTML|\.style\b", text) == []
