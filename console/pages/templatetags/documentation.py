"""Template tags that link the documentation."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from console.pages.help_links import code_page, help_url, reference_url
from console.pages.templatetags.ui import icon

register = template.Library()


@register.simple_tag(takes_context=True)
def help_link(context: Context) -> SafeString | str:
    """Return the link to the section that explains the page; nothing if there is none."""
    # Parts that are included with `only` have the request as an attribute alone.
    request = context.get("request") or getattr(context, "request", None)
    match = getattr(request, "resolver_match", None)
    url = help_url(match.url_name or "") if match is not None else ""
    if not url:
        return ""
    return format_html('<a class="help" href="{}">{}</a>', url, icon("help", "Help on this page"))


@register.simple_tag
def language_reference(dialect: str) -> str:
    """Return the address of the reference of a config language; empty if there is none."""
    return reference_url(dialect)


@register.simple_tag
def code_url(org: str, code: str) -> str:
    """Return the address of the section about a diagnostic code."""
    return f"{code_page(org, code)}#{code}"
