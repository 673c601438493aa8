"""HTML of the parts of documents: headings, tables, code and pictures. Raw HTML is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django.utils.html import escape, format_html
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from console.documentation.images import Size, size_of
from console.documentation.library import Library, file_url

#: Value of the style of a table cell -> alignment; the style itself is against the policy.
_ALIGNED: Final = {"text-align:right": "right", "text-align:center": "center"}


@dataclass(frozen=True, slots=True)
class Place:
    """The section that a token belongs to."""

    title: str
    anchor: str = ""
    #: The diagnostic code that the section describes; empty if it describes none.
    code: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image for each color scheme, which may be the same one."""

    light: str
    dark: str
    alt: str
    size: Size | None

    @classmethod
    def of_files(cls, library: Library, light: str, dark: str, alt: str) -> Picture:
        """Return the picture of two files of *library*, which have the same size."""
        return cls(file_url(light), file_url(dark), alt, size_of(library.folder / light))


class Markup(RendererHTML):
    """The renderer of documents; tokens other than these have the HTML of the package."""

    # The names of the methods are types of tokens; the package finds them by these names.

    def heading_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Open a heading with its anchor; later titles are headings of the second level."""
        token, place = tokens[at], _place(tokens[at])
        token.tag = "h2" if token.tag == "h1" else token.tag
        if token.level or not place.anchor:
            return f"<{token.tag}>"
        code = format_html(' id="{}"', place.code) if place.code else ""
        return format_html(
            '<div class="document__heading"{}><{} id="{}">', code, token.tag, place.anchor
        )

    def heading_close(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Close a heading, with a link to it."""
        token, place = tokens[at], _place(tokens[at])
        tag = "h2" if token.tag == "h1" else token.tag
        if token.level or not place.anchor:
            return f"</{tag}>\n"
        return format_html(
            '</{}><a class="document__permalink" href="#{}" aria-label="Link to {}"></a></div>\n',
            tag,
            place.anchor,
            place.title,
        )

    def table_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Open a table, which scrolls if it is wider than the page."""
        return format_html(
            '<div class="document__wide" tabindex="0" role="group" aria-label="Table: {}"><table>'
            '<caption class="visually-hidden">{}</caption>\n',
            _place(tokens[at]).title,
            _place(tokens[at]).title,
        )

    def table_close(self, *_: Any) -> str:
        """Close a table."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Open the header of a column; without a text, it is a cell."""
        is_empty = not tokens[at + 1].content
        return "<td>" if is_empty else f'<th scope="col"{_alignment(tokens[at])}>'

    def th_close(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Close the header of a column."""
        return "</td>\n" if not tokens[at - 1].content else "</th>\n"

    def td_open(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Open a cell."""
        return f"<td{_alignment(tokens[at])}>"

    def fence(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return a block of code."""
        return _code(tokens[at])

    def code_block(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return an indented block of code."""
        return _code(tokens[at])

    def picture(self, tokens: Sequence[Token], at: int, *_: Any) -> str:
        """Return the image of each color scheme; the style sheet shows one of them."""
        picture = cast(Picture, tokens[at].meta["picture"])
        if picture.light == picture.dark:
            return _image(picture, picture.light, "")
        return _image(picture, picture.light, "light") + _image(picture, picture.dark, "dark")

    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        """Return raw HTML as text."""
        return f"<p>{escape(tokens[idx].content.strip())}</p>\n"

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        """Return raw HTML as text."""
        return escape(tokens[idx].content)


def _place(token: Token) -> Place:
    return cast(Place, token.meta["place"])


def _alignment(token: Token) -> str:
    aligned = _ALIGNED.get(str(token.attrs.get("style", "")))
    return f' data-align="{aligned}"' if aligned else ""


def _code(token: Token) -> str:
    return format_html(
        '<pre class="document__code" tabindex="0" role="group" aria-label="Code: {}">'
        "<code>{}</code></pre>\n",
        _place(token).title,
        token.content,
    )


def _image(picture: Picture, url: str, scheme: str) -> str:
    size = picture.size
    return format_html(
        '<img src="{}" alt="{}" loading="lazy"{}{}>\n',
        url,
        picture.alt,
        format_html(' width="{}" height="{}"', size.width, size.height) if size else "",
        format_html(' data-scheme="{}"', scheme) if scheme else "",
    )
