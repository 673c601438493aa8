"""Parts of a page fail alone: the others are shown, and the part says so."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from tests.pages.conftest import World
from tests.pages.page import read_page

#: Address, what its view calls for a part, where that part stands, and its title.
PARTS = [
    ("", "overview.attention_rows", "attention", "What needs attention"),
    ("", "overview.past_of", "numbers", "How much runs and waits"),
    ("", "overview.bars_of", "quota", "The quota of all queues"),
    ("", "overview.queue_row", "tight", "The tightest queues"),
    ("", "overview.top_consumers", "consumers", "Top consumers"),
    ("", "overview.charts_of", "charts", "What ran and waited over time"),
    ("", "overview.history_row", "recent", "What changed"),
    ("queues/research", "queue.clauses_of", "waiting", "Why work is waiting"),
    ("queues/research", "queue.pending_in_order", "pending-region", "What waits"),
    ("queues/research?tab=running", "queue.running_rows", "running-region", "What runs"),
]


@pytest.mark.parametrize(("path", "broken", "place", "title"), PARTS)
@pytest.mark.parametrize("poll", [False, True])
def test_a_part_that_fails_says_so_and_leaves_the_others(
    path: str,
    broken: str,
    place: str,
    title: str,
    poll: bool,
    world: World,
    browser: Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(*_: object, **__: object) -> object:
        raise RuntimeError("a mistake in the code")

    url = f"/o/here/{path}"
    whole = read_page(browser.get(url))
    places = {other for at, _, other, _ in PARTS if at == path}
    assert {name for name in places if _failed(whole.id(name))} == set()
    monkeypatch.setattr(f"console.pages.views.{broken}", fails)
    mark = "&" if "?" in url else "?"
    answer = browser.get(f"{url}{mark}v=0-" if poll else url)
    page = read_page(answer)
    assert answer.status_code == 200
    assert place in {name for name in places if _failed(page.id(name))}
    request_id = answer.headers["X-Request-ID"]
    assert re.fullmatch(
        rf"{title} could not be loaded at \d\d:\d\d:\d\d UTC. The rest of the page is not "
        rf"affected. It was logged with request {request_id} . Try again",
        page.id(place).all("div", **{"data-failed": ""})[0].text,
    )
    assert {title} <= {record.msg["part"] for record in _logged(caplog)}
    assert "a mistake in the code" not in answer.content.decode()
    # What another part needs as well fails there, too; the rest is as it was.
    spared = {name for name in places if not _failed(page.id(name))}
    assert len(spared) >= len(places) - 3
    assert all(page.id(name).text for name in spared)


def _logged(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record for record in caplog.records if "part" in record.msg]


def _failed(element: object) -> bool:
    return bool(element.all("div", **{"data-failed": ""}))  # type: ignore[attr-defined]
