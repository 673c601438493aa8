"""A browser whose console messages fail tests, and a product with organizations for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect
from playwright.sync_api import Response as PageResponse

from tests.browser.chromium import chromium
from tests.browser.place import Place, furnish
from tests.mail_server import Mailbox, receiving_mail
from tests.product import Product, running

#: Timeout of an expectation in milliseconds, for busy machines.
PATIENCE = 60_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses the browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine; expectations about its pages wait up to `PATIENCE`."""
    expect.set_options(timeout=PATIENCE)
    # The driver runs an event loop in this thread, so Django would refuse database queries.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with chromium() as browser:
        yield browser
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="package")
def mailbox() -> Iterator[Mailbox]:
    """The mail server of the product."""
    with receiving_mail() as mailbox:
        yield mailbox


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory, mailbox: Mailbox) -> Iterator[Product]:
    """An empty product, started as users start it."""
    home = Path(tmp_path_factory.mktemp("home"))
    mail = {
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(mailbox.port),
        "EMAIL_SECURITY": "none",
        "EMAIL_FROM": "sluice@console.example",
    }
    with running(home, WEBHOOK_ALLOWED_NETWORKS="127.0.0.1", **mail) as product:
        yield product


@pytest.fixture(scope="package")
def places(browser: Browser, product: Product) -> Iterator[Iterator[Place]]:
    """Unused organizations, one for each test."""
    fresh = furnish(browser, product)
    yield iter(fresh)
    for place in fresh:
        place.api.close()


class Visitors:
    """Opens pages, each in its own browser context, and records their console messages."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def page(
        self,
        place: Place | None = None,
        person: int = 0,
        *,
        scheme: str = "light",
        width: int = 1280,
        scripts: bool = True,
    ) -> Page:
        """Return a page with the session of a member of *place*, or without a session."""
        context = self._browser.new_context(
            base_url=place.base if place else None,
            storage_state=place.sessions[person] if place else None,
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        page = context.new_page()
        self._listen(page)
        return page

    def _listen(self, page: Page) -> None:
        refused: set[str] = set()

        def answered(response: PageResponse) -> None:
            if response.request.is_navigation_request() and response.status >= 400:
                refused.add(response.url)

        def note(message: ConsoleMessage) -> None:
            # A page with status 409 is a valid response, and the test checks its text.
            if message.location.get("url") in refused and "Failed to load" in message.text:
                return
            if message.type in ("error", "warning"):
                self.complaints.append(f"{message.type}: {message.text} ({message.location})")

        page.on("response", answered)
        page.on("console", note)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def leave(self) -> None:
        """Close all browser contexts."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Visitors]:
    """Pages of several people; console errors and warnings, also of the CSP, fail the test."""
    visitors = Visitors(browser)
    yield visitors
    visitors.leave()
    assert visitors.complaints == []


@pytest.fixture
def place(places: Iterator[Place]) -> Place:
    """An unused organization without a config, with two owners and a token."""
    return next(places)


@pytest.fixture
def page(visitors: Visitors, place: Place) -> Page:
    """A page of the first owner of `place`."""
    return visitors.page(place)
