"""The tag `part`: an error inside it replaces the part by a notice, not the whole page."""

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
    """Renders the enclosed nodes, or a notice if they fail."""

    def __init__(self, title: str, region: str, enclosed: NodeList) -> None:
        self.title = title
        self.region = region
        self.nodelist = enclosed

    def render(self, context: Context) -> str:
        """Return the HTML of the part, or of the notice."""
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
    Enclose a part whose errors do not fail the page: `{% part "The numbers" %}…{% endpart %}`.

    If the part is a whole live region, the second argument is the region's id: the notice needs
    the same id, so that polls find it.
    """
    _, title, *region = token.split_contents()
    enclosed = parser.parse(("endpart",))
    parser.delete_first_token()
    return Part(title.strip('"'), "".join(region).strip('"'), enclosed)
