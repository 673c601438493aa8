"""Opening an address of a world and recording its SQL statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from unittest import mock

from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.budgets.markup import Markup, read_markup
from tests.worlds.addresses import Address

#: Statements that occasionally write when a user was last seen; the page does not need them.
_SEEN: Final = tuple(
    f'UPDATE "orgs_{table}"' for table in ("browsersession", "membership", "apitoken")
)


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer of an address and its SQL statements."""

    address: Address
    status: int
    #: Of a page; `None` for other answers.
    markup: Markup | None
    statements: tuple[str, ...]


def open_twice(client: Client, address: Address) -> Opened:
    """
    Open an address twice as a recently seen user and return the second answer.

    The first time fills caches of the process, such as the policy of a version, and caches that
    last a minute: both times are in the same minute.
    """
    return open_within(client, address, -1)


def open_within(client: Client, address: Address, budget: int) -> Opened:
    """
    Open an address as a recently seen user, and again if there are more statements than *budget*.

    A second answer needs no more statements than the first, which may fill caches.
    """
    with mock.patch.object(timezone, "now", return_value=timezone.now()):
        first = _open(client, address)
        return first if len(first.statements) <= budget else _open(client, address)


def _open(client: Client, address: Address) -> Opened:
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address.url)
        body = _read(response)
    asked = (query["sql"] for query in captured.captured_queries)
    statements = tuple(sql for sql in asked if not sql.startswith(_SEEN))
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    markup = read_markup(body) if is_page else None
    return Opened(address, response.status_code, markup, statements)


def _read(response: HttpResponseBase) -> bytes:
    if response.streaming:
        return b"".join(response)  # type: ignore[attr-defined]
    return response.content  # type: ignore[attr-defined,no-any-return]
