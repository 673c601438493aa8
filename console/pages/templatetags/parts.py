"""The tag around a part of a page that fails alone."""

from __future__ import annotations

import structlog
from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils import timezone

from console.caller import current_caller
from console.errors import ConsoleError

register = template.Library()

log = structlog.get_logger("console.pages")


class Part(template.Node):
    """Renders what it encloses, or says that this could not be done."""

    def __init__(self, title: str, region: str, enclosed: NodeList) -> None:
        self.title = title
        self.region = region
        self.nodelist = enclosed

    def render(self, context: Context) -> str:
        """Return the part, or the notice that stands in its place."""
        try:
            return self.nodelist.render(context)
        except ConsoleError:
            # An invalid request is an error of the whole page.
            raise
        # An error of one part must not hide the other parts.
        except Exception:
            request_id = current_caller().request_id
            log.exception("a part of a page failed", part=self.title)
            failed = {"title": self.title, "region": self.region, "request_id": request_id}
            return render_to_string("components/part_failed.html", {"at": timezone.now(), **failed})


@register.tag
def part(parser: Parser, token: Token) -> Part:
    """
    Enclose a part that fails alone: `{% part "The numbers" %}…{% endpart %}`.

    Where the live region itself is enclosed, its id is the second word: what stands in
    its place has to be found by it.
    """
    _, title, *region = token.split_contents()
    enclosed = parser.parse(("endpart",))
    parser.delete_first_token()
    return Part(title.strip('"'), "".join(region).strip('"'), enclosed)
