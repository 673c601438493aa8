"""Every address of the product, walked from its URL configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def every_route() -> set[str]:
    """Return the routes, as `django.urls.resolve` names them."""
    return set(_walk(get_resolver().url_patterns, ""))


def _walk(patterns: Iterable[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    for each in patterns:
        here = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from _walk(each.url_patterns, here)
        else:
            yield here
