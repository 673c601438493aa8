"""A visit of all pages of a served world, signed in as its owner, with the browser's complaints."""

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
from tests.worlds.world import World

#: Timeout of a page in milliseconds, on a busy machine.
PATIENCE: Final = 30_000

#: Routes whose pages look different with each query; of the others a few pages are enough.
_FORMS: Final = ("pages:queue", "pages:workload", "pages:config-version", "pages:config-compare")

#: Queries that show a list in another form, or empty.
_SHOWN: Final = ("group_by=reason", "cols=", "q=nothing", "actor=nobody", "type=REQUEST_REJECTED")

#: Addresses of downloads, which are not pages.
_TEXTS: Final = ("as=", "/text")

#: Paths of requests that the editor repeats when they are refused.
_ASKED_AGAIN: Final = ("/config/edit/check", "/config/edit/hits")


class Complaints:
    """Complaints of the browser about a page: console messages and failed requests."""

    def __init__(self, page: Page) -> None:
        """Listen to *page*."""
        self._failed: list[str] = []
        self._messages: list[tuple[str, str]] = []
        self._refused: set[str] = set()
        page.on("response", self._note_answer)
        page.on("console", self._note_message)
        page.on("requestfailed", self._note_failed)
        page.on("pageerror", lambda error: self._failed.append(f"uncaught: {error}"))

    def take(self) -> list[str]:
        """Return the complaints since the last call."""
        # A message may arrive before its response, so they are matched only here.
        said = [text for url, text in self._messages if url not in self._refused]
        found = self._failed + said
        self._failed, self._messages = [], []
        return found

    def _note_answer(self, answer: Response) -> None:
        # An error page is a valid response and is checked as a page.
        if answer.request.is_navigation_request() and answer.status >= HTTPStatus.BAD_REQUEST:
            self._refused.add(answer.url)
        # The previous editor page may have a request under way; the next page repeats it by itself.
        asks_again = urlsplit(answer.url).path.endswith(_ASKED_AGAIN)
        if asks_again and answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._refused.add(answer.url)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            url = message.location.get("url", "")
            self._messages.append((url, f"{message.type}: {message.text} ({url})"))

    def _note_failed(self, request: Request) -> None:
        # Leaving a page cancels its requests, for example polls.
        if request.failure != "net::ERR_ABORTED":
            self._failed.append(f"failed: {request.url} {request.failure}")


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in visit of a world, and the complaints about its pages."""

    served: Served
    context: BrowserContext
    page: Page
    complaints: Complaints

    def go(self, address: Address) -> None:
        """Open one of the pages."""
        self.page.goto(self.served.base + address.url)

    def settle(self) -> None:
        """Wait until the page has loaded and applied its own requests."""
        settle(self.page)

    def take(self) -> list[str]:
        """Return the complaints since the last call."""
        return self.complaints.take()


@contextmanager
def visiting(browser: Browser, served: Served, *, scripts: bool = True) -> Iterator[Visit]:
    """Sign in the owner of a world and yield the visit."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    if scripts:
        hold_still(page)
    complaints = Complaints(page)
    sign_in(page, served.base, served.world.people["owner"], PASSWORD)
    page.wait_for_url("**/o/**")
    yield Visit(served, context, page, complaints)
    context.close()


def forms_of(world: World, most: int) -> list[Address]:
    """
    Return the pages of a world, each route in at most *most* of its forms.

    A query that only narrows a list is not a separate form. Refused queries, such as a wrong
    cursor, are covered by the tests of bad input.
    """
    by_route: dict[str, list[Address]] = {}
    for address in page_addresses(world):
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
