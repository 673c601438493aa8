"""HTML of documents: Markdown without HTML of its own, with links that work in the console."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import Final

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from console.documentation.library import Document, Library
from console.documentation.links import resolve, resolve_image
from console.documentation.markup import Markup, Picture, Place

#: The only HTML that documents may contain: an image for each of the two color schemes.
_PICTURE: Final = re.compile(
    r"<picture>\s*"
    r'<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img src="(?P<light>[^"]+)"(?: width="\d+")? alt="(?P<alt>[^"]*)">\s*'
    r"</picture>\s*"
)


@lru_cache(maxsize=200)
def html_of(library: Library, document: Document) -> SafeString:
    """Return the HTML of a document without its title. It does not change, so it is cached."""
    parser = MarkdownIt("commonmark", {"xhtmlOut": False}, renderer_cls=Markup).enable("table")
    # Titles underlined with dashes would be headings without an entry among the sections.
    parser.disable("lheading")
    tokens = parser.parse(document.source)
    prepared = _Preparation(library, document).apply(tokens)
    # The renderer escapes all texts and attributes, and writes no HTML of the document.
    return SafeString(parser.renderer.render(prepared, parser.options, {}))


class _Preparation:
    """Gives tokens what the renderer needs: places, targets of links, and pictures."""

    def __init__(self, library: Library, document: Document) -> None:
        self._library = library
        self._document = document
        self._sections = iter(document.sections)
        self._place = Place(title=document.title)
        self._has_title = False

    def apply(self, tokens: Sequence[Token]) -> list[Token]:
        """Return the tokens of a whole document, without its title."""
        found: list[Token] = []
        is_title = False
        for token in tokens:
            if token.type == "heading_open" and token.level == 0:
                self._enter(token)
                is_title = token.tag == "h1" and not self._has_title
                self._has_title = self._has_title or is_title
            if token.type == "inline":
                token.children = list(self._inline(token.children or []))
            elif token.type == "html_block":
                self._read_picture(token)
            token.meta = {**token.meta, "place": self._place}
            if not is_title:
                found.append(token)
            if token.type == "heading_close":
                is_title = False
        return found

    def _enter(self, heading: Token) -> None:
        section = next(self._sections, None)
        if section is not None:
            self._place = Place(title=section.title, anchor=section.anchor, code=section.code)

    def _inline(self, children: Sequence[Token]) -> Iterator[Token]:
        waiting = iter(children)
        for token in waiting:
            if token.type == "link_open":
                yield from self._link(token, _until_closed(waiting))
            elif token.type == "image":
                yield self._image(token)
            else:
                yield token

    def _link(self, opening: Token, content: list[Token]) -> Iterator[Token]:
        """Yield a link; without an address, its content and the path of the file that it names."""
        closing = content.pop()
        href = str(opening.attrs.get("href", ""))
        target = resolve(href, self._document.name, self._library)
        inner = list(self._inline(content))
        text = "".join(each.content for each in inner)
        if target.document and text == f"{target.document}.md":
            # Files are what readers of the repository open; readers of pages know titles.
            title = self._library.documents[target.document].title
            inner = [Token("text", "", 0, content=title)]
        if target.url:
            opening.attrs = {"href": target.url}
            if target.is_external:
                opening.attrs["rel"] = "noreferrer"
            yield from (opening, *inner, closing)
            return
        if target.path and f"/{target.path}".endswith(f"/{text}"):
            yield Token("code_inline", "code", 0, content=target.path)
            return
        yield from inner
        if target.path:
            yield Token("text", "", 0, content=" (")
            yield Token("code_inline", "code", 0, content=target.path)
            yield Token("text", "", 0, content=")")

    def _image(self, token: Token) -> Token:
        alt = "".join(each.content for each in token.children or [])
        path = resolve_image(str(token.attrs.get("src", "")), self._library)
        if not path:
            return Token("text", "", 0, content=alt)
        picture = Picture.of_files(self._library, path, path, alt)
        return Token("picture", "img", 0, meta={"picture": picture})

    def _read_picture(self, token: Token) -> None:
        found = _PICTURE.fullmatch(token.content)
        if found is None:
            return
        light = resolve_image(unescape(found["light"]), self._library)
        dark = resolve_image(unescape(found["dark"]), self._library)
        if light and dark:
            token.type = "picture"
            picture = Picture.of_files(self._library, light, dark, unescape(found["alt"]))
            token.meta = {"picture": picture}


def _until_closed(tokens: Iterator[Token]) -> list[Token]:
    """Return the tokens of a link up to its end; links do not contain links."""
    found = []
    for token in tokens:
        found.append(token)
        if token.type == "link_close":
            break
    return found
