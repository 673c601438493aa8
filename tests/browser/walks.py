"""Walks that open many pages one after another and return the complaints about each."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from playwright.sync_api import Browser, Page

from tests.browser.axe import Looks
from tests.browser.looks import ALL_WIDTHS, TWO_WIDTHS, complaints
from tests.browser.reach import forms_of, visiting
from tests.browser.rules import broken, hold_still, settle
from tests.worlds.served import Served


def broken_pages(page: Page, urls: Iterable[str]) -> dict[str, list[str]]:
    """Open *urls* in *page* one after another, and return complaints by address."""
    hold_still(page)
    found = {}
    looks = Looks.of_this_run()
    for url in urls:
        page.goto(url)
        settle(page)
        found[url] = complaints(page, looks, widths=TWO_WIDTHS)
    return {url: wrong for url, wrong in found.items() if wrong}


def out_of_reach(
    browser: Browser,
    served: Served,
    *,
    most: int = 1,
    thorough: bool = False,
    audited: Collection[str] = (),
) -> dict[str, list[str]]:
    """
    Return complaints by address, with at most *most* forms of each route.

    The first form of each route is checked at all widths, and thoroughly if *thorough*. Further
    forms, and pages of the routes *audited*, which another walk opens, are checked at two widths;
    axe does not check the latter.
    """
    found = {}
    looks = Looks.of_this_run()
    routes: set[str] = set()
    with visiting(browser, served) as visit:
        for address in forms_of(served.world, most):
            visit.go(address)
            visit.settle()
            first = address.route not in routes
            routes.add(address.route)
            is_audited = address.route in audited
            wrong = complaints(
                visit.page,
                None if is_audited else looks,
                widths=ALL_WIDTHS if first and not is_audited else TWO_WIDTHS,
                thorough=thorough and first,
            )
            wrong += visit.take()
            if wrong:
                found[address.url] = wrong
    return found


def waiting_for_scripts(
    browser: Browser, served: Served, *, most: int = 1, visited: Collection[str] = ()
) -> dict[str, list[str]]:
    """
    Return complaints by address of pages opened without scripts.

    Pages of the routes *visited* are opened by another walk.
    """
    found = {}
    with visiting(browser, served, scripts=False) as visit:
        for address in forms_of(served.world, most):
            if address.route in visited:
                continue
            visit.go(address)
            wrong = broken(visit.page, "scriptless") + visit.take()
            if wrong:
                found[address.url] = wrong
    return found
