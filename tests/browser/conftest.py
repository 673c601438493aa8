"""A real browser that fails a test on what its console complains about, and a product for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect
from playwright.sync_api import Response as PageResponse

from tests.browser.chromium import chromium
from tests.browser.place import Place, furnish
from tests.product import Product, running

#: Milliseconds that a page may take on a busy machine: no test is about time.
PATIENCE = 20_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that asks for the browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The machine's Chromium; whatever is expected of its pages is waited for patiently."""
    expect.set_options(timeout=PATIENCE)
    # The driver runs an event loop in this thread, which Django would take for async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with chromium() as browser:
        yield browser
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """An empty product, started as users start it."""
    home = Path(tmp_path_factory.mktemp("home"))
    with running(home, WEBHOOK_ALLOWED_NETWORKS="127.0.0.1") as product:
        yield product


@pytest.fixture(scope="package")
def places(browser: Browser, product: Product) -> Iterator[Iterator[Place]]:
    """Organizations that nobody has used yet."""
    fresh = furnish(browser, product)
    yield iter(fresh)
    for place in fresh:
        place.api.close()


class Visitors:
    """Opens pages, each in a browser profile of its own, and listens to their consoles."""

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
        """Return a page of one of *place*'s people, signed in; of nobody without a place."""
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
            # A page that says 409 is an answer; the test looks at what it says.
            if message.location.get("url") in refused and "Failed to load" in message.text:
                return
            if message.type in ("error", "warning"):
                self.complaints.append(f"{message.type}: {message.text} ({message.location})")

        page.on("response", answered)
        page.on("console", note)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def leave(self) -> None:
        """Close everything."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Visitors]:
    """Pages of several people; whatever a console reports fails the test, CSP violations too."""
    visitors = Visitors(browser)
    yield visitors
    visitors.leave()
    assert visitors.complaints == []


@pytest.fixture
def place(places: Iterator[Place]) -> Place:
    """An organization of the test's own, without a config, with two owners and a token."""
    return next(places)


@pytest.fixture
def page(visitors: Visitors, place: Place) -> Page:
    """A page of the first owner of `place`."""
    return visitors.page(place)
