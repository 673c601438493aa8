"""Sending the request of a table line, with checks of the response and of written rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db import connection, transaction

from tests.permissions.callers import Caller
from tests.permissions.table import Line

#: Matches the parts in which equal answers differ: tokens and relative times.
_CHANCE = re.compile(
    rb'name="csrfmiddlewaretoken" value="\w+"|hx-headers=\'[^\']*\''
    rb'|data-age(="\w+")?>[^<]+(?=</time>)'
)


_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The response to a request."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    def told(self, name: object, other: object) -> tuple[int, bytes, dict[str, str]]:
        """Return the response without random parts, with *name* replaced by *other*."""
        old, new = str(name), str(other)
        return (
            self.status,
            _CHANCE.sub(b"", self.body).replace(old.encode(), new.encode()),
            {
                key: value.replace(old, new)
                for key, value in self.headers.items()
                if key not in ("X-Request-ID", "Content-Length", "Set-Cookie")
            },
        )


def ask(
    caller: Caller,
    line: Line,
    names: Mapping[str, object],
    *,
    method: str = "",
    csrf: bool = True,
) -> Answer:
    """Send the request of *line* as *caller*, and roll its changes back."""
    with rolled_back():
        return _ask(caller, line, names, method or line.method, csrf=csrf)


def _ask(
    caller: Caller, line: Line, names: Mapping[str, object], method: str, *, csrf: bool
) -> Answer:
    body, kind = line.sent(names)
    response: Any = caller.client(csrf=csrf).generic(method, line.address(names), body, kind)
    content = response.getvalue()
    return Answer(status=response.status_code, body=content, headers=dict(response.headers))


def ask_refused(
    caller: Caller, line: Line, names: Mapping[str, object], *, method: str = "", csrf: bool = True
) -> Answer:
    """Send the request of *line* as *caller*, who is refused: there is nothing to roll back."""
    return _ask(caller, line, names, method or line.method, csrf=csrf)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back the changes of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    cache.clear()


@contextmanager
def no_rows_written() -> Iterator[None]:
    """Fail if a statement of the block writes a row, even if it is rolled back."""
    written: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: Any, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if sql.startswith(_WRITES) and context["cursor"].rowcount:
            written.append(sql)
        return result

    with connection.execute_wrapper(watch):
        yield
    assert written == []
