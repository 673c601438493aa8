"""
Lists as files: NDJSON and CSV that are written while rows are still being read.

Whatever the length of a list, no more of it is in memory than one block of text and what
the iterator of its rows holds at a time.
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
from console.expensive import Place, Streamed

Format = Literal["csv", "ndjson"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

#: The parameter of an address that asks for a file.
PARAMETER: Final = "as"

#: Its value where one thing is asked for as text to paste, and what that text is.
MARKDOWN: Final = "markdown"
MARKDOWN_TYPE: Final = "text/markdown; charset=utf-8"

Row = Mapping[str, Any]

#: Characters of one block: a socket is written to once for each.
_BLOCK: Final = 32 * 1024

#: What spreadsheets may skip at the beginning of a cell, to find a formula behind it.
_CONTROLS: Final = ("\t", "\r", "\n")
#: What begins a formula: some take the wide forms of the signs for the others. In many countries
#: spreadsheets part cells at semicolons, and quotes that do not begin such a cell mean nothing to
#: them: behind a semicolon, a tab or an end of line another one begins. Quotes that do begin one
#: are taken off by whoever reads it.
_FORMULA: Final = re.compile("((?:^|[;\t\r\n])[ \"']*)(?=[-=+@\uff1d\uff0b\uff0d\uff20])")

MEDIA_TYPES: Final[dict[Format, str]] = {
    "csv": "text/csv; charset=utf-8",
    "ndjson": "application/x-ndjson; charset=utf-8",
}


def asked_format(query: QueryDict) -> Format | None:
    """Return the format that an address asks for; raises BadRequest for an unknown one."""
    text = query.get(PARAMETER, "")
    if not text:
        return None
    for known in FORMATS:
        if text == known:
            return known
    message = f"{PARAMETER} has to be one of: {', '.join(FORMATS)}."
    raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])


def asks_for_markdown(query: QueryDict) -> bool:
    """Say whether an address asks for Markdown; raises BadRequest when for something else."""
    text = query.get(PARAMETER, "")
    if text and text != MARKDOWN:
        message = f"{PARAMETER} has to be {MARKDOWN}, or absent."
        raise BadRequest([FieldError(PARAMETER, "invalid_choice", message)])
    return bool(text)


def export_answer(
    place: Place, form: Format, name: str, columns: Sequence[str], rows: Iterable[Row]
) -> StreamingHttpResponse:
    """
    Return *rows* as a file to download, called *name* and the day.

    NDJSON has all of each row; CSV has *columns*, in which what is not a plain value is JSON.
    It holds *place* until it is sent.
    """
    blocks = ndjson_of(rows) if form == "ndjson" else csv_of(columns, rows)
    response = StreamingHttpResponse(Streamed(place, blocks), content_type=MEDIA_TYPES[form])
    file = f"{name}-{timezone.now():%Y-%m-%d}.{form}"
    response.headers["Content-Disposition"] = f'attachment; filename="{file}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def ndjson_of(rows: Iterable[Row]) -> Iterator[bytes]:
    """Write each row as one line of JSON."""
    return _blocks(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def csv_of(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[bytes]:
    """Write *columns* of *rows* as RFC 4180 has it, with a first line that names them."""
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
    Return *value* as it may stand in a cell of a spreadsheet.

    What would be taken for a formula gets an apostrophe in front.

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
