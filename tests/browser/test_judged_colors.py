"""Color checks run once for each look, and again when the look differs."""

from __future__ import annotations

from tests.browser.axe import Looks
from tests.browser.conftest import Visitors
from tests.browser.rules import broken

_PAGE = """
<!doctype html><html lang="en"><head><title>Colors</title><style>
.pale {{ color: #aaa; background: #fff }} .pale[data-state=dim] {{ color: #bbb }}
.dark {{ background: #000; color: #fff }} a.quiet {{ color: #595959; text-decoration: none }}
@media (prefers-color-scheme: dark) {{ .turns {{ color: #444; background: #222 }} }}
</style></head><body><main><h1>Colors</h1>{body}</main></body></html>
"""


def test_each_look_is_checked_once(visitors: Visitors) -> None:
    page, looks = visitors.page(), Looks()

    def judged(body: str) -> list[str]:
        page.set_content(_PAGE.format(body=body))
        return [each.partition(":")[0] for each in broken(page, "axe", looks=looks)]

    assert judged("<p>Fine</p>") == []
    assert judged('<p class="pale">One</p><p class="pale">Two</p>') == ["color-contrast"]
    # This look was checked before, with a complaint.
    assert judged('<p class="pale">Three</p>') == []
    # Another state of the same class, and the same text on another background.
    assert judged('<p class="pale" data-state="dim">Four</p>') == ["color-contrast"]
    assert judged('<div class="dark"><p style="color: #555">Five</p></div>') == ["color-contrast"]
    assert judged('<p>Text <a class="quiet" href="#">link</a> more</p>') == ["link-in-text-block"]
    # Rules that do not concern colors are checked everywhere.
    assert judged("<p>Fine</p><h4>Too deep</h4>") == ["heading-order"]
    assert judged("<p>Fine</p><h4>Too deep</h4>") == ["heading-order"]
    assert judged('<p class="turns">Six</p>') == []
    page.emulate_media(color_scheme="dark")
    assert [each.partition(":")[0] for each in broken(page, "colors", looks=looks)] == [
        "color-contrast"
    ]
    assert broken(page, "colors", looks=looks) == []
