"""
Views of the documentation.

It is public, like the API reference: it contains no data of an organization, and people who cannot
sign in need it, too.
"""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from console.documentation.library import INDEX, Library, document_url, library
from console.documentation.rendering import html_of
from console.documentation.search import search
from console.errors import BadRequest, NotFound
from console.pages.access import refusal
from console.pages.presenters.lists.addresses import pager_of
from console.paging import Page, read_cursor, write_cursor

#: Maximum length of the search text, in characters.
_LONGEST: Final = 200

#: The pages show the address of the signed-in user.
_PRIVATE = cache_control(private=True, no_store=True)

#: Sections on a page of search results.
_PAGE_SIZE: Final = 20

#: Seconds for which browsers keep images and examples, which an upgrade may change.
_KEPT: Final = 3600

_IMAGES: Final = {".png": "image/png", ".svg": "image/svg+xml"}


@require_safe
@_PRIVATE
def contents(request: HttpRequest) -> HttpResponse:
    """Show the table of contents, or the sections that contain the words of ``q``."""
    known = library()
    text = request.GET.get("q", "").strip()[:_LONGEST].replace("\0", "")
    if text and known.documents:
        return _results(request, known, text)
    return _document(request, known, INDEX)


@require_safe
@_PRIVATE
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a document."""
    if name == INDEX:
        return redirect(document_url(INDEX), permanent=True)
    return _document(request, library(), name)


@require_safe
def file(request: HttpRequest, path: str = "") -> HttpResponse:
    """
    Send a file of the folder, such as an image.

    The address of a document without the slash at its end, or with its suffix, redirects.
    """
    known = library()
    name = path.removesuffix(".md")
    if not path or name in known.documents:
        url = document_url(name or INDEX)
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{url}?{query}" if query else url, permanent=True)
    if path not in known.files:
        return _missing(request, path)
    found = known.folder / path
    # Text is never sent as a type that a browser would execute.
    kind = _IMAGES.get(found.suffix, "text/plain; charset=utf-8")
    response = HttpResponse(found.read_bytes(), content_type=kind)
    patch_cache_control(response, public=True, max_age=_KEPT)
    return response


def _document(request: HttpRequest, known: Library, name: str) -> HttpResponse:
    if not known.documents:
        return _page(request, known, "missing", {"folder": known.folder}, status=404)
    found = known.documents.get(name)
    if found is None:
        return _missing(request, name)
    before, after = known.neighbors(found)
    context = {
        "document": found,
        "is_index": name == INDEX,
        "body": html_of(known, found),
        "before": before,
        "after": after,
    }
    return _page(request, known, "document", context)


def _results(request: HttpRequest, known: Library, text: str) -> HttpResponse:
    try:
        (start,) = read_cursor(request.GET.get("cursor")) or (0,)
    except BadRequest as error:
        return refusal(request, error, None)
    found = search(known, text)
    end = start + _PAGE_SIZE
    hits = found.hits(start, end)
    following = write_cursor(end) if end < len(found) else None
    context = {
        "text": text,
        "count": len(found),
        "hits": hits,
        "pager": pager_of(request.path, request.GET, Page(hits, following)),
    }
    return _page(request, known, "results", context)


def _missing(request: HttpRequest, name: str) -> HttpResponse:
    message = f"The documentation has no page {name!r}; {document_url(INDEX)} lists all pages."
    response = refusal(request, NotFound(message), None)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _page(
    request: HttpRequest, known: Library, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    shared = {"groups": known.groups}
    return render(request, f"documentation/{template}.html", shared | context, status=status)
