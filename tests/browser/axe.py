"""
Checks of one page in the browser by the rules of axe-core.

Results that axe marks for manual review count as broken, except those that it reports for every
SVG drawing and for every table with an empty column.
"""

from __future__ import annotations

import fcntl
import os
from importlib.resources import files
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

from tests.prepared import SHARED

_SCRIPT: Final = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")

#: The rules of WCAG 2.2 at the levels A and AA, and the best practices of axe.
_TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

#: Rules whose results for manual review are ignored: backgrounds that axe cannot determine, and
#: empty columns.
_UNSURE: Final = ["color-contrast", "link-in-text-block", "th-has-data-cells"]

#: The rules that depend on the color scheme.
COLORS: Final = ("color-contrast", "link-in-text-block")

#: Marks the elements whose colors are not checked yet, and returns the keys of their looks: the
#: styles of the element and its ancestors, on which the rules of colors depend.
_MARK: Final = """([mark, seen]) => {
  const parts = new Map();
  const number = (part) => parts.get(part) ?? parts.set(part, parts.size).get(part);
  const known = new Set(seen.split(' '));
  const fresh = [];
  const drawn = [
    'color', 'backgroundColor', 'backgroundImage', 'backgroundClip', 'opacity', 'fontSize',
    'fontWeight', 'textDecorationLine', 'textShadow', 'filter', 'mixBlendMode', 'position',
    'zIndex', 'overflow', 'clipPath', 'visibility', 'borderBottomStyle',
  ];
  const hash = (text) => {
    let [one, two] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      one = Math.imul(one ^ code, 2654435761);
      two = Math.imul(two ^ code, 1597334677);
    }
    return (two >>> 0).toString(36) + (one >>> 0).toString(36);
  };
  const walk = (element, around) => {
    element.removeAttribute(mark);
    const style = getComputedStyle(element);
    const state = [...element.attributes].filter(({ name, value }) => (
      /^(data-|aria-|open|hidden|disabled|checked|role|type)/.test(name) && value.length < 24
    )).map(({ name, value }) => name + '=' + value.replace(/\\d+/g, '0')).sort();
    const part = [element.localName, element.getAttribute('class'), ...state,
      ...drawn.map((name) => style[name])].join('|');
    const own = hash(around + '>' + part);
    const speaks = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (speaks || element.matches('a[href], input, select, textarea, button')) {
      const key = own + (speaks ? 't' : '');
      if (!known.has(key)) {
        known.add(key);
        fresh.push(key);
        element.setAttribute(mark, '');
      }
    }
    for (const child of element.children) walk(child, own);
  };
  // At another width, other elements may lie behind a text.
  walk(document.documentElement, String(innerWidth));
  return fresh;
}"""

#: The attribute of elements whose colors are not checked yet.
_UNJUDGED: Final = "data-unjudged"

_RUN: Final = """async ([tags, rules, unsure, mark]) => {
  // Of elements with the same look, the colors of the first are checked.
  axe.reset();
  if (mark) axe.configure({ rules: [
    { id: 'color-contrast', selector: `[${mark}]` },
    { id: 'link-in-text-block', selector: `a[href][${mark}]` },
  ] });
  const options = rules.length
    ? { runOnly: { type: 'rule', values: rules } }
    // The first two are disabled by default. The third reads style sheets in a way that the policy
    // forbids, and no style sheet depends on the orientation of the screen.
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


class Looks:
    """
    The looks whose colors were checked, on any page and in any color scheme.

    A look consists of the tags, classes, states, colors and fonts of an element and its ancestors,
    and the width of the page. The rules of colors have the same result for all elements with the
    same look.
    """

    def __init__(self, place: Path | None = None) -> None:
        """Know no look, or those in the file *place*, which several processes may share."""
        self._place = place
        self._keys: set[str] = set()
        self._read = 0

    @classmethod
    def of_this_run(cls) -> Looks:
        """Return the looks that all processes of this test run have checked so far."""
        folder = os.environ.get(SHARED)
        return cls(None if folder is None else Path(folder) / "looks")

    def mark(self, page: Page) -> bool:
        """Mark the elements of *page* with a new look, and return whether there are any."""
        self._exchange([])
        # One text: the driver takes 8 ms for each thousand items of a list.
        fresh: list[str] = page.evaluate(_MARK, [_UNJUDGED, " ".join(self._keys)])
        self._keys.update(fresh)
        self._exchange(fresh)
        return bool(fresh)

    def _exchange(self, fresh: list[str]) -> None:
        """Read the looks that others have added to the file, and add *fresh*."""
        if self._place is None:
            return
        with self._place.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(self._read)
            self._keys.update(file.read().split())
            file.writelines(f"{key}\n" for key in fresh)
            self._read = file.tell()


def audit(page: Page, *rules: str, looks: Looks | None = None) -> list[str]:
    """
    Return a sentence for each element that breaks a rule, or one of *rules* if given.

    With *looks*, the rules of colors check one element of each new look. The driver injects the
    script, because the content security policy does not allow pages to load it.
    """
    has_new = looks is None or looks.mark(page)
    if rules and not has_new and set(rules) <= set(COLORS):
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    mark = None if looks is None else _UNJUDGED
    found: list[str] = page.evaluate(_RUN, [_TAGS, list(rules), _UNSURE, mark])
    return found
