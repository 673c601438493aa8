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
from tests.worlds.world import World

#: Milliseconds that a page may take on a busy machine.
PATIENCE: Final = 30_000

#: Pages that look different with each of their queries; of the others some are enough.
_FORMS: Final = ("pages:queue", "pages:workload", "pages:config-version", "pages:config-compare")

#: Queries of lists that show the list in another form, or nothing at all.
_SHOWN: Final = ("group_by=reason", "cols=", "q=nothing", "actor=nobody", "type=REQUEST_REJECTED")

#: What is no page: texts to download.
_TEXTS: Final = ("as=", "/text")

#: Addresses of questions that the editor asks again when they are refused.
_ASKED_AGAIN: Final = ("/config/edit/check", "/config/edit/hits")


class Complaints:
    """What a page complains of: messages of its console, and requests that failed."""

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
        """Return the complaints since the last time."""
        # A message may come before the answer that it is about, so they are matched only here.
        said = [text for url, text in self._messages if url not in self._refused]
        found = self._failed + said
        self._failed, self._messages = [], []
        return found

    def _note_answer(self, answer: Response) -> None:
        # A page that says 404 is an answer, and what it shows is looked at.
        if answer.request.is_navigation_request() and answer.status >= HTTPStatus.BAD_REQUEST:
            self._refused.add(answer.url)
        # The editor that was left may have a question under way: the next one asks again by itself.
        asks_again = urlsplit(answer.url).path.endswith(_ASKED_AGAIN)
        if asks_again and answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._refused.add(answer.url)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            url = message.location.get("url", "")
            self._messages.append((url, f"{message.type}: {message.text} ({url})"))

    def _note_failed(self, request: Request) -> None:
        # A page that is left takes back what it asked for, its polls among them.
        if request.failure != "net::ERR_ABORTED":
            self._failed.append(f"failed: {request.url} {request.failure}")


@dataclass(frozen=True, slots=True)
class Visit:
    """A world that is looked at, with what went wrong while its pages were open."""

    served: Served
    context: BrowserContext
    page: Page
    complaints: Complaints

    def go(self, address: Address) -> None:
        """Open one of its pages."""
        self.page.goto(self.served.base + address.url)

    def settle(self) -> None:
        """Wait for what the page asks for by itself, and takes in."""
        settle(self.page)

    def take(self) -> list[str]:
        """Return the complaints since the last time."""
        return self.complaints.take()


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
    complaints = Complaints(page)
    sign_in(page, served.base, served.world.people["owner"], PASSWORD)
    page.wait_for_url("**/o/**")
    yield Visit(served, context, page, complaints)
    context.close()


def forms_of(world: World, most: int) -> list[Address]:
    """
    Return the pages of a world, each route in at most *most* of its forms.

    A query that only narrows a list is no form of its own. What is refused, such as a wrong
    cursor, is a page of the tests of bad input.
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
