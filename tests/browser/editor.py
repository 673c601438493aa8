"""Page object of the config editor: its text, its problems, and the positions of its marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.place import wait_until

_TEXT = "() => ace.edit(document.querySelector('.editor__ace')).getValue()"
_PLACE = """([line, column]) => {
  const editor = ace.edit(document.querySelector('.editor__ace'));
  const place = editor.renderer.textToScreenCoordinates(line - 1, column - 1);
  return [place.pageX, place.pageY];
}"""

#: Script: the page positions of the beginnings of some marks.
_CORNERS = """marks => marks.map((mark) => {
  const { x, y } = mark.getBoundingClientRect();
  return [x, y];
})"""


@dataclass(frozen=True, slots=True)
class Editor:
    """The editor of one page."""

    page: Page

    @property
    def text(self) -> str:
        """The text in the editor."""
        self.page.locator(".editor__ace .ace_content").wait_for()
        return str(self.page.evaluate(_TEXT))

    @property
    def problems(self) -> Locator:
        """The entries of the list of problems."""
        return self.page.locator("[data-problems] .problem")

    def focus(self) -> None:
        """Click into the text."""
        self.page.locator(".editor__ace .ace_content").click()
        # After a click, ACE takes the focus again in a timer.
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 50))")

    def press(self, *keys: str) -> None:
        """Press a key or key combination."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type key by key, as a person does."""
        self.page.keyboard.type(text)

    def replace(self, text: str) -> None:
        """Replace the whole text by *text*, as an input method does."""
        self.focus()
        self.press("Control+A")
        self.page.keyboard.insert_text(text)

    def paste(self, text: str) -> None:
        """Replace the whole text by pasting *text*, which is fast for long texts."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.focus()
        self.press("Control+A", "Control+V")

    def place(self, line: int, column: int) -> tuple[float, float]:
        """Return the page position of a place in the text; line and column count from 1."""
        self.page.locator(".editor__ace .ace_content").wait_for()
        x, y = self.page.evaluate(_PLACE, [line, column])
        return x, y

    def replace_word(self, line: int, old: str, new: str) -> None:
        """Double-click the word *old* on a line, counted from 1, and type *new* over it."""
        column = self.text.splitlines()[line - 1].index(old) + 1
        x, y = self.place(line, column)
        self.page.mouse.dblclick(x + 4, y + 8)
        self.type(new)

    def expect_problem(self, message: str, line: int, column: int) -> Locator:
        """Expect a gutter mark, an underline and a list entry at this place."""
        entry = self.problems.filter(has_text=message)
        expect(entry).to_have_count(1)
        expect(entry).to_contain_text(f"line {line}, column {column}")
        gutter = self.page.locator(".ace_gutter-cell.ace_error").filter(has_text=str(line))
        expect(gutter).to_have_count(1)
        marks = self.page.locator(".problem-mark--error")

        def is_underlined() -> bool:
            # Problems that arrive may move the text.
            x, y = self.place(line, column)
            found = marks.evaluate_all(_CORNERS)
            return any(abs(left - x) < 2 and abs(top - y) < 6 for left, top in found)

        # The editor draws in its next frame.
        wait_until(is_underlined)
        return entry

    def expect_hits(self, hits: dict[int, str]) -> None:
        """Expect at least these counts beside the numbers of these lines."""
        for line, count in hits.items():
            number = self.page.locator(".ace_gutter-cell", has_text=re.compile(rf"^{line}$"))
            expect(number).to_have_attribute("data-hits", count)

    def expect_saved(self) -> None:
        """Wait until the draft is saved on the server."""
        expect(self.page.locator("[data-saved]")).to_contain_text("Draft saved")
