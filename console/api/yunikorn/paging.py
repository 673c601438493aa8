"""
Pages of lists.

YuniKorn answers with whole lists. Here, a list has at most `MOST` rows, and the header ``Link`` has
the address of the rest, with the relation ``next``.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.paging import read_cursor, write_cursor
from console.workloads.queries.placed import MOST_READ

PARAMETERS: Final = ("limit", "cursor")

#: Default and maximum number of rows.
USUAL: Final = 1000
MOST: Final = 5000


def limit_of(view: SchedulerView, request: Request) -> int:
    """Return the maximum number of rows of the page; raises BadRequest."""
    return view.number(request, "limit", USUAL, 1, MOST)


def page_answer(request: Request, rows: list[Any], cursor: str | None) -> Response:
    """Return one page; *cursor* is that of the rest, None at the end."""
    answer = Response(rows)
    if cursor is not None:
        query = request.query_params.copy()
        query["cursor"] = cursor
        address = urlsplit(request.build_absolute_uri())
        answer["Link"] = f'<{urlunsplit(address._replace(query=query.urlencode()))}>; rel="next"'
    return answer


def read_part(view: SchedulerView, request: Request, total: int) -> tuple[slice, str | None]:
    """
    Return the part of a list of *total* rows that a request asks for, and the cursor of the rest.

    Raises BadRequest.
    """
    (start,) = read_cursor(request.query_params.get("cursor")) or (0,)
    end = start + limit_of(view, request)
    return slice(start, end), write_cursor(end) if end < total else None


def incomplete(answer: Response, *, is_whole: bool) -> Response:
    """Return an answer, with a warning in a header unless all running workloads were read."""
    if not is_whole:
        answer["Warning"] = f'199 sluice "Only the newest {MOST_READ} running workloads are read"'
    return answer
