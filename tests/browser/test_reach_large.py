"""Every page of a large organization: long lists, many parts, and routes that the demo lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.reach import forms_of
from tests.browser.walks import out_of_reach, waiting_for_scripts
from tests.worlds.served import Served, serving
from tests.worlds.stored import shared_worlds_folder, stored


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the worlds of this run."""
    return shared_worlds_folder(tmp_path_factory)


@pytest.fixture(scope="module")
def demo_routes(kept: Path) -> set[str]:
    """The routes of which the walk through the demo opens pages."""
    return {address.route for address in forms_of(stored("demo", kept).world, 1)}


@pytest.fixture(scope="module")
def served(kept: Path) -> Iterator[Served]:
    """An organization of 100,000 workloads."""
    with serving("large", kept) as served:
        yield served


def test_every_page_is_within_reach(
    browser: Browser, served: Served, demo_routes: set[str]
) -> None:
    assert out_of_reach(browser, served, audited=demo_routes) == {}


def test_nothing_waits_for_scripts_that_do_not_run(
    browser: Browser, served: Served, demo_routes: set[str]
) -> None:
    assert waiting_for_scripts(browser, served, visited=demo_routes) == {}
