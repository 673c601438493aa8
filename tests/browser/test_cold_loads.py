"""With an empty cache, pages need few requests and few bytes."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.documents import CAP, m5
from tests.browser.place import Place

#: Page -> the most requests and bytes, headers included; the editor's scripts alone are 160 kB.
BUDGETS = {
    "": (10, 150_000),
    "queues": (10, 150_000),
    "workloads": (10, 150_000),
    "config": (10, 150_000),
    "config/edit": (10, 250_000),
}


def test_cold_loads_stay_within_their_budgets(page: Page, place: Place) -> None:
    place.apply(CAP, "The first")
    place.submit(m5("first"), m5("second"))
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sent: list[str] = []
    sizes: list[int] = []
    session.on("Network.requestWillBeSent", lambda event: sent.append(event["request"]["url"]))
    session.on(
        "Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"]))
    )
    over = {}
    for path, (most_requests, most_bytes) in BUDGETS.items():
        session.send("Network.clearBrowserCache")
        sent.clear()
        sizes.clear()
        page.goto(place.url(path), wait_until="networkidle")
        requests = [url for url in sent if not url.startswith("data:")]
        if len(requests) > most_requests or sum(sizes) > most_bytes:
            over[path] = (requests, sum(sizes))
        page.goto("about:blank")
    assert over == {}
