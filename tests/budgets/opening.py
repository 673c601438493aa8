"""Opening an address of a world, and what the database was asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from unittest import mock

from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.worlds.addresses import Address

#: How it is noted, once in a while, that somebody was there: not by what the page shows.
_SEEN: Final = tuple(
    f'UPDATE "orgs_{table}"' for table in ("browsersession", "membership", "apitoken")
)


@dataclass(frozen=True, slots=True)
class Opened:
    """What an address answered, and the statements that it took."""

    address: Address
    status: int
    size: int
    statements: tuple[str, ...]


def open_twice(client: Client, address: Address) -> Opened:
    """
    Open an address as somebody who was there a moment ago, and return the second answer.

    The first time is for what a process reads once, such as the policy of a version, or once
    in a minute: it is the same minute both times.
    """
    with mock.patch.object(timezone, "now", return_value=timezone.now()):
        _read(client.get(address.url))
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address.url)
            size = _read(response)
    asked = (query["sql"] for query in captured.captured_queries)
    statements = tuple(sql for sql in asked if not sql.startswith(_SEEN))
    return Opened(address, response.status_code, size, statements)


def _read(response: HttpResponseBase) -> int:
    if response.streaming:
        return sum(len(part) for part in response)  # type: ignore[attr-defined]
    return len(response.content)  # type: ignore[attr-defined]
