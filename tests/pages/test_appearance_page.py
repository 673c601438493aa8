"""The appearance page: the form stores the choice in cookies, and the next page applies it."""

from __future__ import annotations

from django.test import Client

from tests.pages.conftest import World
from tests.pages.page import complaints, read_page

URL = "/o/here/settings/appearance"


def looks(browser: Client) -> tuple[str, ...]:
    """Return the theme, density and shortcuts setting of a page."""
    (root,) = read_page(browser.get("/o/here/queues")).all("html")
    return tuple(root.attrs[f"data-{name}"] for name in ("theme", "density", "keys"))


def test_the_next_page_has_the_chosen_appearance(world: World, browser: Client) -> None:
    assert looks(browser) == ("", "comfortable", "on")
    answer = browser.post(URL, {"theme": "dark", "density": "compact", "keys": "off"})
    assert (answer.status_code, answer.headers["Location"]) == (302, URL)
    assert looks(browser) == ("dark", "compact", "off")
    # Scripts change the shortcuts too, and cannot read the other cookies.
    kept = {name: bool(cookie["httponly"]) for name, cookie in answer.cookies.items()}
    assert {name: kept[name] for name in ("theme", "density", "keys")} == {
        "theme": True,
        "density": True,
        "keys": False,
    }
    page = read_page(browser.get(URL))
    assert complaints(page) == []
    (form,) = (form for form in page.all("form") if form.all("input", name="theme"))
    checked = [box.attrs["id"] for box in form.all("input") if "checked" in box.attrs]
    assert checked == ["theme-dark", "density-compact", "keys-off"]


def test_an_unknown_choice_is_not_stored(world: World, browser: Client) -> None:
    browser.post(URL, {"theme": "dark"})
    browser.post(URL, {"theme": "purple", "keys": ""})
    assert looks(browser) == ("dark", "comfortable", "on")
    browser.cookies["density"] = "<script>"
    assert looks(browser) == ("dark", "comfortable", "on")
