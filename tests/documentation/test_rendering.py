"""HTML of documents: no raw HTML, working links, and pictures for both color schemes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from console.documentation.library import library
from console.documentation.rendering import html_of
from tests.documentation.conftest import Write

#: What the renderer writes; scripts, styles, frames and forms are never among it.
_TAGS = frozenset(
    (
        *("a", "blockquote", "br", "code", "div", "em", "hr", "img", "li", "ol", "p", "pre"),
        *("h2", "h3", "h4", "h5", "h6", "strong", "ul"),
        *("caption", "table", "tbody", "td", "th", "thead", "tr"),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("alt", "aria-label", "class", "data-align", "data-scheme", "height", "href", "id"),
        *("loading", "rel", "role", "scope", "src", "start", "tabindex", "width"),
    )
)


class _Strict(HTMLParser):
    """Collects tags, attributes and addresses."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src"):
                self.addresses.append(value or "")


def _read(html: str) -> _Strict:
    reader = _Strict()
    reader.feed(html)
    reader.close()
    return reader


_HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script inside a sentence": "A <script>alert(1)</script> here",
    "style": '<p style="color:red" onclick="alert(1)">a</p>',
    "inline handler": 'a <img src=x onerror="alert(1)"> b',
    "comment": "<!-- <script> -->",
    "declaration": "<!DOCTYPE html>",
    "processing instruction": "<?php alert ?>",
    "javascript link": "[a](javascript:alert(1))",
    "disguised link": "[a](&#x6A;avascript:alert(1))",
    "data link": "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "data image": "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "autolink": "<javascript:alert(1)>",
    "other site": "[a](//evil.example/x)",
    "absolute path": "[a](/o/main/)",
    "image of another site": "![a](https://evil.example/a.png)",
    "title of a link": '[a](a.md "\\" onclick=\\"alert(1)")',
    "heading": "## <b onclick=alert(1)>a</b> \" onclick='x'",
    "code": '```" onclick=alert(1)\n</code></pre><script>\n```',
    "table": "| <i>a</i> |\n|--:|\n| <script>x</script> |",
    "picture of another site": (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="https://e.example/a.png">'
        '\n  <img src="https://e.example/b.png" width="1280" alt="a">\n</picture>'
    ),
    "picture with a handler": (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="images/a.png">'
        '\n  <img src="images/a.png" onload="alert(1)" alt="a">\n</picture>'
    ),
    "picture with more after it": (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="images/a.png">'
        '\n  <img src="images/a.png" alt="a">\n</picture><script>alert(1)</script>'
    ),
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_markdown_is_text(text: str, write: Write) -> None:
    known = write(a=f"# A\n\n{text}\n", files={"images/a.png": ""})
    found = _read(html_of(known, known.documents["a"]))
    assert found.tags <= _TAGS
    assert found.attributes <= _ATTRIBUTES
    assert [each for each in found.addresses if not re.match(r"/docs/|#", each)] == []


def test_documents_consist_of_known_elements_with_the_anchors_of_their_sections() -> None:
    known = library()
    for document in known.documents.values():
        html = html_of(known, document)
        found = _read(html)
        assert (found.tags - _TAGS, found.attributes - _ATTRIBUTES) == (set(), set()), document.name
        anchors = [each.anchor for each in document.sections[1:]]
        assert re.findall(r'<h\d id="([^"]+)"', html) == anchors
        assert "&lt;picture" not in html


def test_links_lead_to_pages_files_and_sites_and_other_files_are_code(write: Write) -> None:
    known = write(
        a=(
            "# A\n\n[one](b.md) [two](b.md#part) [three](#here) [four](gitops/run.sh)\n"
            "[five](https://example.org/x?a=1&b=2) [six](README.md)\n"
            "[the engine](../console/engine/README.md#x) [SECURITY.md](../SECURITY.md)\n"
            "[the tour](../README.md) [gone](gone.md) <https://example.org>\n"
        ),
        b="# B\n\n## Part\n",
        README="# All\n",
        files={"gitops/run.sh": "true"},
    )
    assert html_of(known, known.documents["a"]) == (
        '<p><a href="/docs/b/">one</a> <a href="/docs/b/#part">two</a> <a href="#here">three</a> '
        '<a href="/docs/gitops/run.sh">four</a>\n'
        '<a href="https://example.org/x?a=1&amp;b=2" rel="noreferrer">five</a> '
        '<a href="/docs/">six</a>\n'
        "the engine (<code>console/engine/README.md</code>) <code>SECURITY.md</code>\n"
        "the tour (<code>README.md</code>) gone (<code>docs/gone.md</code>) "
        '<a href="https://example.org" rel="noreferrer">https://example.org</a></p>\n'
    )


def test_links_named_after_the_file_of_a_document_show_its_title(write: Write) -> None:
    known = write(
        a="# A\n\n[b.md](b.md#part) [`b.md`](b.md) [c](b.md) [run.md](gitops/run.md)\n",
        b="# The *B* & more\n\n## Part\n",
    )
    assert html_of(known, known.documents["a"]) == (
        '<p><a href="/docs/b/#part">The B &amp; more</a> <a href="/docs/b/">The B &amp; more</a> '
        '<a href="/docs/b/">c</a> <code>docs/gitops/run.md</code></p>\n'
    )


def test_headings_tables_and_code_can_be_linked_scrolled_and_named(write: Write) -> None:
    known = write(
        a='# A "title"\n\n## LNT001 A & b\n\n| a | n |\n|---|--:|\n| x | 1 |\n\n```sh\na < b\n```\n'
    )
    assert html_of(known, known.documents["a"]) == (
        '<div class="document__heading" id="LNT001"><h2 id="lnt001-a--b">LNT001 A &amp; b</h2>'
        '<a class="document__permalink" href="#lnt001-a--b" '
        'aria-label="Link to LNT001 A &amp; b"></a></div>\n'
        '<div class="document__wide" tabindex="0" role="group" '
        'aria-label="Table: LNT001 A &amp; b"><table>'
        '<caption class="visually-hidden">LNT001 A &amp; b</caption>\n'
        '<thead>\n<tr>\n<th scope="col">a</th>\n<th scope="col" data-align="right">n</th>\n</tr>\n'
        '</thead>\n<tbody>\n<tr>\n<td>x</td>\n<td data-align="right">1</td>\n</tr>\n</tbody>\n'
        "</table></div>\n"
        '<pre class="document__code" tabindex="0" role="group" '
        'aria-label="Code: LNT001 A &amp; b"><code>a &lt; b\n</code></pre>\n'
    )


def test_a_column_without_a_title_has_no_header(write: Write) -> None:
    known = write(a="# A\n\n| a | |\n|---|---|\n| x | 1 |\n")
    html = html_of(known, known.documents["a"])
    assert '<tr>\n<th scope="col">a</th>\n<td></td>\n</tr>' in html


def test_pictures_have_an_image_for_each_color_scheme(write: Write) -> None:
    known = write(
        a=(
            '# A\n\n<picture>\n  <source media="(prefers-color-scheme: dark)" '
            'srcset="images/q-dark.png">\n  <img src="images/q-light.png" width="1280" '
            'alt="A &quot;b&quot; &amp; c">\n</picture>\n'
        ),
        files={"images/q-dark.png": "", "images/q-light.png": ""},
    )
    alt = "A &quot;b&quot; &amp; c"
    assert html_of(known, known.documents["a"]) == (
        f'<img src="/docs/images/q-light.png" alt="{alt}" loading="lazy" data-scheme="light">\n'
        f'<img src="/docs/images/q-dark.png" alt="{alt}" loading="lazy" data-scheme="dark">\n'
    )


def test_images_of_the_documentation_have_their_size() -> None:
    known = library()
    html = html_of(known, known.documents["queues"])
    found = re.findall(r'<img src="/docs/images/queues-(\w+)\.png"[^>]* width="(\d+)" height', html)
    assert [scheme for scheme, _ in found] == ["light", "dark"]
