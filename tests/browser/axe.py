"""
The rules of axe-core for one page, in the browser that shows it.

What axe cannot judge for itself counts as broken, too, but for what it says of every drawing
and of every table with an empty column: that somebody should look.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from playwright.sync_api import Page

_SCRIPT: Final = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")

#: What WCAG 2.2 asks at the levels A and AA, and what axe advises on top.
_TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

#: Rules whose doubts are about grounds that it cannot see, and columns that are empty.
_UNSURE: Final = ["color-contrast", "link-in-text-block", "th-has-data-cells"]

#: The rules that depend on the color scheme.
COLORS: Final = ("color-contrast", "link-in-text-block")

_RUN: Final = """async ([tags, rules, unsure]) => {
  const options = rules.length
    ? { runOnly: { type: 'rule', values: rules } }
    // Two are asked for by name, as a tag alone leaves them out. The third reads style sheets by
    // means that the policy forbids, and none of ours asks how the screen is held.
    : {
      runOnly: { type: 'tag', values: tags },
      rules: {
        'target-size': { enabled: true },
        'label-content-name-mismatch': { enabled: true },
        'css-orientation-lock': { enabled: false },
      },
    };
  const { violations, incomplete } = await axe.run(document, {
    ...options, iframes: false, preload: false, resultTypes: ['violations', 'incomplete'],
  });
  const doubts = incomplete.filter(({ id }) => !unsure.includes(id));
  return [...violations, ...doubts].flatMap(({ id, nodes }) => nodes.map(
    ({ html, target, any, all, none }) => `${id}: ${target.join(' ')} ${html.slice(0, 160)}: `
      + [...any, ...all, ...none].map(({ message }) => message).join('; ')));
}"""


def audit(page: Page, *rules: str) -> list[str]:
    """
    Return a sentence for each element that breaks a rule; of *rules* alone where some are given.

    The script comes through the driver: the content security policy lets no page load it.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    found: list[str] = page.evaluate(_RUN, [_TAGS, list(rules), _UNSURE])
    return found
