"""An HTML parser for page tests: a tree of elements, and checks of markup and accessibility."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpResponse

VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    ]
)
#: SVG shapes, which are self-closing.
SHAPES = frozenset(["use", "rect", "line", "path", "circle"])


@dataclass
class Element:
    """An HTML element with its attributes; children are elements and texts."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """Yield this element and its descendants, without the content of `<template>`."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            if element.tag != "template":
                waiting += [
                    child for child in reversed(element.children) if isinstance(child, Element)
                ]

    def all(self, tag: str, **attrs: str) -> list[Element]:
        """Return the descendants with this tag and these attributes."""
        return [
            element
            for element in self.walk()
            if element.tag == tag
            and all(element.attrs.get(name.rstrip("_")) == value for name, value in attrs.items())
        ]

    def id(self, name: str) -> Element:
        """Return the element with the id *name*."""
        return next(element for element in self.walk() if element.attrs.get("id") == name)

    @property
    def text(self) -> str:
        """The text content, without the titles of drawings, which only screen readers read."""
        parts = [
            child if isinstance(child, str) else child.text
            for child in self.children
            if isinstance(child, str) or child.tag not in ("svg", "script", "template")
        ]
        return " ".join(" ".join(parts).split())

    def rows(self) -> list[list[str]]:
        """Return the cell texts of every row in the table bodies."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Element)]
            for body in self.all("tbody")
            for row in body.all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document")
        self.open = [self.root]
        self.complaints: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) < len(names):
            self.complaints.append(f"<{tag}> repeats an attribute: {names}")
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in SHAPES:
            self.complaints.append(f"<{tag}/> does not close itself in HTML")
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag != tag:
            self.complaints.append(f"</{tag}> closes <{self.open[-1].tag}> at {self.getpos()}")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_page(response: HttpResponse) -> Element:
    """Return the element tree of a page, and fail unless the page is well formed."""
    reader = _Reader()
    reader.feed(response.content.decode())
    reader.close()
    open_tags = [element.tag for element in reader.open[1:]]
    assert (reader.complaints, open_tags) == ([], [])
    return reader.root


def complaints(page: Element) -> list[str]:
    """Return violations of the content security policy and of accessibility rules."""
    return [
        *_inline(page),
        *_names(page),
        *_outline(page),
    ]


def _inline(page: Element) -> Iterator[str]:
    for element in page.walk():
        for name in element.attrs:
            if name == "style" or (name.startswith("on") and name != "on"):
                yield f"inline {name} on <{element.tag}>"
        if element.tag == "style" or (element.tag == "script" and "src" not in element.attrs):
            yield f"inline <{element.tag}>"
        for name in ("src", "href", "action"):
            address = element.attrs.get(name, "")
            if address.startswith(("http:", "https:", "//", "javascript:", "data:")):
                yield f"foreign {name} {address}"


def _names(page: Element) -> Iterator[str]:
    ids = Counter(element.attrs["id"] for element in page.walk() if "id" in element.attrs)
    yield from (f"id {name} is there {count} times" for name, count in ids.items() if count > 1)
    labeled = {label.attrs.get("for") for label in page.all("label")}
    wrapped = {id(inner) for label in page.all("label") for inner in label.walk()}
    for element in page.walk():
        is_control = element.tag in ("input", "select", "textarea")
        is_shown = element.attrs.get("type") not in ("hidden", "submit")
        has_label = element.attrs.get("id") in labeled or id(element) in wrapped
        if is_control and is_shown and not has_label:
            yield f"<{element.tag} name={element.attrs.get('name')}> has no label"
        for name in ("aria-labelledby", "aria-describedby"):
            for target in element.attrs.get(name, "").split():
                if target not in ids:
                    yield f"{name} of <{element.tag}> points at nothing: {target}"
        if element.tag in ("a", "button") and not _name(element):
            yield f"<{element.tag}> has no name: {element.attrs}"
        if element.tag == "table" and not element.all("caption"):
            yield "a table has no caption"
        if element.tag == "th" and "scope" not in element.attrs:
            yield "a header cell has no scope"


def _name(element: Element) -> str:
    drawn = " ".join(title.text for title in element.all("title"))
    return element.text or element.attrs.get("aria-label", "") or drawn


def pattern_of(url: str) -> str:
    """Return an address without ids and values; pages of one pattern have the same links."""
    parts = urlsplit(url)
    path = re.sub(r"[0-9a-f]{20}|\d+", "N", parts.path)
    keys = sorted({name for name, _ in parse_qsl(parts.query)})
    # Each tab has different links.
    tabs = [value for name, value in parse_qsl(parts.query) if name == "tab"]
    return f"{path}?{','.join(keys)}{tabs}"


def _outline(page: Element) -> Iterator[str]:
    for tag in ("h1", "main", "title"):
        found = page.all(tag) if tag != "title" else page.all("head")[0].all("title")
        if len(found) != 1:
            yield f"{len(found)} <{tag}> elements"
    if page.all("html")[0].attrs.get("lang") != "en":
        yield "the language is not given"
