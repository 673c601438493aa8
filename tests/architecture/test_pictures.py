"""Pictures of the documentation: each is used, exists in both color schemes, and has alt text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
IMAGES = ROOT / "docs" / "images"
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

PICTURE = re.compile(r"<picture>\n(.*?)</picture>", re.DOTALL)
WHOLE = re.compile(
    r'  <source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)-dark\.png">\n'
    r'  <img src="(?P<light>[^"]+)-light\.png" width="1280" alt="(?P<alt>[^"]+)">\n'
)

#: Most bytes of a picture.
LARGEST = 300_000


def pictures() -> Iterator[tuple[Path, str]]:
    """Yield each picture and the document that contains it."""
    for document in DOCUMENTS:
        for found in PICTURE.findall(document.read_text("utf-8")):
            yield document, found


@pytest.mark.parametrize(
    ("document", "found"),
    list(pictures()),
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_pictures_have_both_color_schemes_and_alt_text(document: Path, found: str) -> None:
    whole = WHOLE.fullmatch(found)
    assert whole, found
    assert whole["dark"] == whole["light"]
    for scheme in ("dark", "light"):
        assert (document.parent / f"{whole[scheme]}-{scheme}.png").is_file()
    assert len(whole["alt"]) > 30


def test_every_image_file_is_used() -> None:
    shown = {
        (document.parent / f"{whole[scheme]}-{scheme}.png").relative_to(ROOT)
        for document, found in pictures()
        if (whole := WHOLE.fullmatch(found))
        for scheme in ("dark", "light")
    }
    assert shown == {path.relative_to(ROOT) for path in IMAGES.iterdir()}


def test_pictures_use_the_standard_markup() -> None:
    for document in DOCUMENTS:
        rest = PICTURE.sub("", document.read_text("utf-8"))
        assert re.findall(r"!\[|<img|images/", rest) == [], document


@pytest.mark.parametrize("path", sorted(IMAGES.iterdir()), ids=lambda path: path.name)
def test_picture_size_is_limited(path: Path) -> None:
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert path.stat().st_size <= LARGEST
