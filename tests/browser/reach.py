"""A served world, and the one page of it that the tests of reach look at, its owner signed in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
)

from tests.browser.place import sign_in
from tests.browser.rules import hold_still, settle
from tests.worlds import PASSWORD
from tests.worlds.addresses import Address, page_addresses
from tests.worlds.served import Served

#: Milliseconds that a page may take on a busy machine.
PATIENCE: Final = 30_000

#: Pages that look different with each of their queries; of the others some are enough.
_FORMS: Final = ("pages:queue", "pages:workload", "pages:config-version", "pages:config-compare")

#: Queries of lists that show the list in another form, or nothing at all.
_SHOWN: Final = ("group_by=reason", "cols=", "q=nothing", "actor=nobody", "type=REQUEST_REJECTED")

#: What is no page: texts to download.
_TEXTS: Final = ("as=", "/text")


@dataclass(frozen=True, slots=True)
class Visit:
    """A world that is looked at, with what went wrong while its pages were open."""

    served: Served
    context: BrowserContext
    page: Page
    #: Messages of the console, and requests that failed; `take` empties it.
    complaints: list[str]

    def go(self, address: Address) -> None:
        """Open one of its pages."""
        self.page.goto(self.served.base + address.url)

    def settle(self) -> None:
        """Wait for what the page asks for by itself, and takes in."""
        settle(self.page)

    def take(self) -> list[str]:
        """Return the complaints since the last time."""
        found = list(self.complaints)
        self.complaints.clear()
        return found


@contextmanager
def visiting(browser: Browser, served: Served, *, scripts: bool = True) -> Iterator[Visit]:
    """Sign the owner of a world in."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    if scripts:
        hold_still(page)
    complaints = _listened(page)
    sign_in(page, served.base, served.world.people["owner"], PASSWORD)
    page.wait_for_url("**/o/**")
    yield Visit(served, context, page, complaints)
    context.close()


def _listened(page: Page) -> list[str]:
    """Return a list that grows with each message of the console and each request that failed."""
    complaints: list[str] = []
    refused: set[str] = set()

    def note_answer(answer: Response) -> None:
        # A page that says 404 is an answer, and what it shows is looked at.
        if answer.request.is_navigation_request() and answer.status >= HTTPStatus.BAD_REQUEST:
            refused.add(answer.url)
        # The check of a page that was left may be under way: the editor asks again by itself.
        is_check = urlsplit(answer.url).path.endswith("/config/edit/check")
        if is_check and answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            refused.add(answer.url)

    def note_message(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and message.location.get("url") not in refused:
            complaints.append(f"{message.type}: {message.text}")

    def note_failed(request: Request) -> None:
        # A page that is left takes back what it asked for, its polls among them.
        if request.failure != "net::ERR_ABORTED":
            complaints.append(f"failed: {request.url} {request.failure}")

    page.on("response", note_answer)
    page.on("console", note_message)
    page.on("requestfailed", note_failed)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    return complaints


def forms_of(served: Served, most: int) -> list[Address]:
    """
    Return the pages of a world, each route in at most *most* of its forms.

    A query that only narrows a list is no form of its own. What is refused, such as a wrong
    cursor, is a page of the tests of bad input.
    """
    by_route: dict[str, list[Address]] = {}
    for address in page_addresses(served.world):
        query = address.pattern.partition("?")[2]
        plain = not query or any(each in query for each in _SHOWN)
        narrows = address.route in ("pages:workloads", "pages:events", "pages:audit") and not plain
        if narrows or "cursor=" in query or any(each in address.pattern for each in _TEXTS):
            continue
        by_route.setdefault(address.route, []).append(address)
    return [
        address
        for route, found in by_route.items()
        for address in islice(found, None if route in _FORMS and most > 1 else most)
    ]
