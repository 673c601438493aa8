"""Walks over all pages of a world, one after another: what is wrong with which of them."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.axe import Looks
from tests.browser.looks import complaints
from tests.browser.reach import forms_of, visiting
from tests.browser.rules import broken
from tests.worlds.served import Served


def out_of_reach(
    browser: Browser, served: Served, *, most: int = 1, thorough: bool = False
) -> dict[str, list[str]]:
    """Return complaints by address, at most *most* forms of each route opened."""
    found = {}
    looks = Looks()
    with visiting(browser, served) as visit:
        for address in forms_of(served, most):
            visit.go(address)
            visit.settle()
            wrong = complaints(visit.page, looks, thorough=thorough) + visit.take()
            if wrong:
                found[address.url] = wrong
    return found


def waiting_for_scripts(browser: Browser, served: Served, *, most: int = 1) -> dict[str, list[str]]:
    """Return complaints by address where no script runs, and none may be needed."""
    found = {}
    with visiting(browser, served, scripts=False) as visit:
        for address in forms_of(served, most):
            visit.go(address)
            wrong = broken(visit.page, "scriptless") + visit.take()
            if wrong:
                found[address.url] = wrong
    return found
