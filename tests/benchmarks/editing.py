"""Time from the last key to the mark of a mistake in the config editor, in a real browser."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.benchmarks.configs import large_config
from tests.benchmarks.measured import Measured
from tests.browser.chromium import chromium
from tests.browser.editor import Editor
from tests.browser.place import sign_in
from tests.product import running

#: Number of mistakes; one in twenty may be marked later than the bound.
SAMPLES = 20
MOST_MS = 500
#: Timeout in milliseconds for pages that are not measured.
_LONG = 60_000

#: Script: milliseconds from the next key to the next frame in which the list of problems contains
#: *word*.
_UNTIL_MARKED = """(word) => {
  const list = document.querySelector("[data-problems]");
  window.marked = new Promise((done) => {
    let pressed;
    const press = () => { pressed = performance.now(); };
    addEventListener("keydown", press, { capture: true, once: true });
    const watch = new MutationObserver(() => {
      if (!list.textContent.includes(word)) return;
      watch.disconnect();
      requestAnimationFrame(() => done(performance.now() - pressed));
    });
    watch.observe(list, { childList: true, subtree: true });
  });
}"""


def run() -> Iterator[Measured]:
    """Measure mistakes at the end of a config of 2,000 lines."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        # The first start prints the account to sign in with.
        welcome = re.search(r"Sign in as +(\S+)\s+Password +(\S+)", product.output())
        assert welcome is not None, product.output()
        base = f"http://127.0.0.1:{product.port}"
        with chromium() as browser:
            page = browser.new_page()
            page.set_default_timeout(_LONG)
            sign_in(page, base, welcome[1], welcome[2])
            page.wait_for_url("**/o/**")
            page.goto(f"{base}/o/main/config/edit")
            times = sorted(_mistakes(page))
    yield Measured(
        name="mark a mistake in 2,000 lines after the last key",
        value=times[len(times) * 95 // 100 - 1],
        unit="ms, 95 %",
        at_most=MOST_MS,
    )


def _mistakes(page: Page) -> Iterator[float]:
    editor = Editor(page)
    editor.replace(large_config(2_000))
    errors = page.locator(".problem[data-severity=error]")
    # An empty text has a problem.
    expect(errors).to_have_count(0, timeout=_LONG)
    editor.press("Control+End", "ArrowLeft")
    for number in range(SAMPLES):
        # A different name each time, so that no earlier answer is counted.
        key = chr(ord("a") + number)
        page.evaluate(_UNTIL_MARKED, f'"default{key}"')
        editor.type(key)
        yield float(page.evaluate("window.marked"))
        editor.press("Backspace")
        expect(errors).to_have_count(0, timeout=_LONG)
