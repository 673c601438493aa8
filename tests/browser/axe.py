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

#: Marks the elements whose colors have yet to be judged, and returns the keys of their looks: what
#: they and all elements around them are drawn with, which is what the rules of colors depend on.
_MARK: Final = """([mark, seen]) => {
  const parts = new Map();
  const number = (part) => parts.get(part) ?? parts.set(part, parts.size).get(part);
  const known = new Set(seen);
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
  walk(document.documentElement, '');
  return fresh;
}"""

#: The attribute of elements whose colors have yet to be judged.
_UNJUDGED: Final = "data-unjudged"

_RUN: Final = """async ([tags, rules, unsure, mark]) => {
  // Of elements that look alike, the first one is judged by its colors.
  axe.reset();
  if (mark) axe.configure({ rules: [
    { id: 'color-contrast', selector: `[${mark}]` },
    { id: 'link-in-text-block', selector: `a[href][${mark}]` },
  ] });
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


class Looks:
    """
    What has been judged by its colors already, on whatever page and in whatever color scheme.

    A look is what an element and all elements around it are drawn with: tags, classes, states,
    colors, fonts. The rules of colors come to the same result wherever it is seen.
    """

    def __init__(self) -> None:
        self._keys: set[str] = set()

    def mark(self, page: Page) -> bool:
        """Mark the elements of *page* whose look is new; return whether there are any."""
        fresh: list[str] = page.evaluate(_MARK, [_UNJUDGED, list(self._keys)])
        self._keys.update(fresh)
        return bool(fresh)


def audit(page: Page, *rules: str, looks: Looks | None = None) -> list[str]:
    """
    Return a sentence for each element that breaks a rule; of *rules* alone where some are given.

    With *looks* the rules of colors judge one element of each look, and none that was judged
    before. The script comes through the driver: the content security policy lets no page load it.
    """
    has_new = looks is None or looks.mark(page)
    if rules and not has_new and set(rules) <= set(COLORS):
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SCRIPT)
    mark = None if looks is None else _UNJUDGED
    found: list[str] = page.evaluate(_RUN, [_TAGS, list(rules), _UNSURE, mark])
    return found
