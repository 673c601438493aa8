"""Exports of lists: the address of the page with `as=csv` or `as=ndjson` returns a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, QueryDict, StreamingHttpResponse

from console.expensive import Kind, take_place
from console.exports import FORMATS, PARAMETER, Row, export_answer, requested_format
from console.orgs.permissions import Actor
from console.pages.presenters.lists.addresses import with_query


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportLink:
    """A download link: the format's title and the URL."""

    title: str
    url: str


def export_response(
    request: HttpRequest, actor: Actor, name: str, columns: Sequence[str], rows: Iterable[Row]
) -> StreamingHttpResponse | None:
    """
    Return *rows* as a file in the format that *request* names; None if it requests the page.

    *rows* is an iterator that reads while the file is streamed; for a page it is not started.
    Raises BadRequest for an unknown format, and TooManyQuestions.
    """
    form = requested_format(request.GET)
    if form is None:
        return None
    place = take_place(Kind.EXPORT, actor.org.pk, actor.key)
    return export_answer(place, form, name, columns, rows)


def export_links(path: str, query: QueryDict) -> tuple[ExportLink, ...]:
    """Return the links that export the list at *path* with *query*, from its first page."""
    return tuple(
        ExportLink(
            title=form.upper(),
            url=with_query(path, query, **{PARAMETER: form, "cursor": None}),
        )
        for form in FORMATS
    )
