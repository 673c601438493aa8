"""Completeness of the permission tables: exactly the routes and methods of the product."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import pytest
from django.urls import resolve

from tests.permissions.callers import Caller
from tests.permissions.conftest import Stage
from tests.permissions.routes import every_route
from tests.permissions.sending import ask_refused, no_rows_written
from tests.permissions.table import API, CLIENT, NOTHING, PAGES, Line

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
#: Representative callers: the answer to an unsupported method is the same for every role.
_SOME = frozenset({"viewer here", "owner here", "owner elsewhere"})
#: Catch-all routes, which answer every method.
_REST = frozenset(
    {"api/v1/", "^/*api/v2/", "^/*ext/v0/", "^/*ws/v1/", "^/*(?:api/v2|ext/v0)$"},
)


def route_of(line: Line) -> str:
    """Return the route of a line's address."""
    anything: Mapping[str, object] = defaultdict(lambda: 7)
    route: str = resolve(line.address(anything).partition("?")[0]).route
    return route


#: Lines by route.
BY_ROUTE: dict[str, list[Line]] = defaultdict(list)
for _line in (*PAGES, *API, *CLIENT):
    BY_ROUTE[route_of(_line)].append(_line)


def test_every_route_is_in_a_table_and_every_line_has_a_route() -> None:
    assert every_route() == BY_ROUTE.keys()


@pytest.mark.parametrize("route", sorted(BY_ROUTE.keys() - _REST))
def test_a_route_takes_the_methods_of_its_lines(route: str, stage: Stage) -> None:
    line = BY_ROUTE[route][0]
    is_api = line not in PAGES
    taken = {each.method for each in BY_ROUTE[route]}
    callers = [stage.caller("nobody")]
    callers += [each for each in stage.sessions if each.name in _SOME] if line not in CLIENT else []
    callers += [each for each in stage.tokens if each.name.removeprefix("token of ") in _SOME]
    found, due = {}, {}
    for method in set(_METHODS) - taken:
        # An API endpoint declares its methods.
        told = 200 if is_api and line.takes != NOTHING and method == "OPTIONS" else 405
        for caller in callers:
            with no_rows_written():
                answer = ask_refused(caller, line, stage.names(caller), method=method)
            found[method, caller.name] = answer.status
            due[method, caller.name] = _told(line, caller, told, is_api=is_api)
            if answer.status in (200, 405):
                assert set(answer.headers["Allow"].split(", ")) - {"HEAD", "OPTIONS"} == taken
    assert found == due
    assert 405 in found.values()


def _told(line: Line, caller: Caller, told: int, *, is_api: bool) -> int:
    """Return the status for an unsupported method: *told* for members and permitted callers."""
    if line.takes == NOTHING or not (is_api or line.is_of_org):
        return told
    if not caller.is_known or (caller.is_token and not is_api):
        return 401 if is_api or "?v=" in line.path else 302
    return 404 if line.is_of_org and caller.role is None else told
