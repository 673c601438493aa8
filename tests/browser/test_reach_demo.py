"""Every page of the demo, in several forms, satisfies all rules in both color schemes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.walks import out_of_reach, waiting_for_scripts
from tests.worlds.served import Served, serving
from tests.worlds.stored import shared_worlds_folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The demo after some of its traffic was decided."""
    with serving("demo", shared_worlds_folder(tmp_path_factory)) as served:
        yield served


def test_every_page_is_within_reach(browser: Browser, served: Served) -> None:
    assert out_of_reach(browser, served, most=2, thorough=True) == {}


def test_nothing_waits_for_scripts_that_do_not_run(browser: Browser, served: Served) -> None:
    assert waiting_for_scripts(browser, served, most=2) == {}
