"""
PlaceHoldingStream exports of lists as NDJSON and CSV.

Rows are written while later rows are read. Memory holds one block of text and the rows that the
iterator holds at a time, whatever the length of the list.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from django.http import QueryDict, StreamingHttpResponse
from django.utils import timezone

from console.errors import BadRequest, FieldError
from console.expensive import Place, PlaceHoldingStream

Format = Literal["csv", "ndjson"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

#: The query parameter that requests a file.
PARAMETER: Final = "as"

#: The value of the parameter that requests one object as text to paste, and its media type.
MARKDOWN: Final = "markdown"
MARKDOWN_TYPE: Final = "text/markdown; charset=utf-8"

Row = Mapping[str, Any]

#: Characters of one block; each block is one write to the socket.
_BLOCK: Final = 32 * 1024

#: Characters that spreadsheets may skip at the start of a cell before they look for a formula.
_CONTROLS: Final = ("\t", "\r", "\n")
#: The start of a formula; some spreadsheets accept the full-width forms of the signs. In many
#: countries, spreadsheets separate cells at semicolons and ignore quotes inside such a cell, so a
#: cell also starts behind a semicolon, a tab or a line end. Quotes at its start are removed.
_FORMULA: Final = re.compile("((?:^|[;\t\r\n])[ \"']*)(?=[-=+@\uff1d\uff0b\uff0d\uff20])")

MEDIA_TYPES: Final[dict[Format, str]] = {
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson; charset=utf-8",
}


def requested_format(query: QueryDict) -> Format | None:
    """Return the format that the query string requests; raises BadRequest if it is unknown."""
    text = query.get(PARAMETER, "")
    if not text:
        return None
    for known in FORMATS:
        if text == known:
            return known
    message = f"{PARAMETER} has to be one of: {', '.join(FORMATS)}."
    raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])


def is_markdown_requested(query: QueryDict) -> bool:
    """Return whether the query string requests Markdown; raises BadRequest for other formats."""
    text = query.get(PARAMETER, "")
    if text and text != MARKDOWN:
        message = f"{PARAMETER} has to be {MARKDOWN}, or absent."
        raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])
    return bool(text)


def export_answer(
    place: Place, form: Format, name: str, columns: Sequence[str], rows: Iterable[Row]
) -> StreamingHttpResponse:
    """
    Return *rows* as a file to download, named after *name* and the day.

    NDJSON contains whole rows; CSV contains *columns*, with lists and objects as JSON. The response
    holds *place* until it is sent.
    """
    blocks = ndjson_of(rows) if form == "ndjson" else csv_of(columns, rows)
    response = StreamingHttpResponse(
        PlaceHoldingStream(place, blocks), content_type=MEDIA_TYPES[form]
    )
    file = f"{name}-{timezone.now():%Y-%m-%d}.{form}"
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def ndjson_of(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield blocks of *rows*, one line of JSON each."""
    return _blocks(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def csv_of(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield blocks of *columns* of *rows* as CSV (RFC 4180) with a header line."""
    return _blocks(_lines(columns, rows))


def _lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([cell(row.get(column)) for column in columns])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def cell(value: Any) -> str | int | float:
    r"""
    Return *value* as a CSV cell that a spreadsheet cannot mistake for a formula.

    A text that starts a formula gets an apostrophe in front.

    >>> cell("=1+1"), cell('a;"=1+1'), cell(-3), cell(None), cell({"a": True}), cell(True)
    ("'=1+1", 'a;"\'=1+1', -3, '', '{"a": true}', 'true')
    """
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = _FORMULA.sub(r"\1'", text)
    return f"'{text}" if text.startswith(_CONTROLS) else text


def _blocks(lines: Iterable[str]) -> Iterator[bytes]:
    block: list[str] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if size >= _BLOCK:
            yield "".join(block).encode()
            block, size = [], 0
    if block:
        yield "".join(block).encode()
