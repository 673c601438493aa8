"""Completeness of the budgets: every route has an opened address or accepts only writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.urls import URLPattern, get_resolver
from django.urls.resolvers import URLResolver

from console.api.urls import urlpatterns as api_routes
from console.pages.urls import urlpatterns as page_routes
from tests.budgets.files import read_budgets
from tests.worlds import page_patterns, path_patterns


def names_of(routes: Sequence[Any]) -> list[str]:
    """Return the names of routes."""
    return [route.name for route in routes]


@pytest.mark.parametrize(
    ("routes", "read", "sent"),
    [
        (page_routes, page_patterns.PAGES, page_patterns.SENT),
        (api_routes, path_patterns.PATHS, path_patterns.SENT),
    ],
    ids=["pages", "API"],
)
def test_every_route_is_opened_or_only_sent_to(
    routes: Sequence[Any], read: dict[str, Any], sent: Sequence[str]
) -> None:
    assert sorted([*read, *sent]) == sorted(set(names_of(routes)))
    assert all(read.values())


def test_no_other_part_of_the_product_has_pages() -> None:
    """Health checks, protocols of clients, and the API reference have budgets in own tests."""
    parts = {_where(each) for each in get_resolver().url_patterns}
    client = {"^/*api/v2/", "^/*ext/v0/", "^/*ws/v1/", "^/*(?:api/v2|ext/v0)$"}
    assert parts == {"healthz", "readyz", "metrics", "api/v1/docs/", "api/v1/", "", *client}


@pytest.mark.parametrize(
    ("name", "read"),
    [("pages.toml", page_patterns.PAGES), ("paths.toml", path_patterns.PATHS)],
)
def test_every_pattern_has_a_budget_and_every_budget_a_pattern(
    name: str, read: dict[str, Sequence[str]]
) -> None:
    assert list(read_budgets(name)) == list(_all(read))


def _all(read: dict[str, Sequence[str]]) -> Iterator[str]:
    for patterns in read.values():
        yield from patterns


def _where(each: URLPattern | URLResolver) -> str:
    return str(each.pattern)
