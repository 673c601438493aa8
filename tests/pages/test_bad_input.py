"""
Every page and call of the editor, sent what no form sends: always an answer, never a fault.

What is accepted all the same is carried out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, reverse

from console.configs.models import Draft
from console.orgs.models import User
from console.orgs.permissions import Actor
from console.pages import urls
from tests.intake_results import apply_all_intake
from tests.module_fixtures import module_org
from tests.pages.conftest import CONFIG, World
from tests.pages.module_fixtures import module_world

#: What converters take that no row has, beside what is there.
HUGE = 10**30

#: Parameters and fields of forms.
NAMES = (
    *("a", "author", "b", "base", "beside", "blame", "choice-0", "config", "conflicts", "cursor"),
    *("dialect", "diff", "draft", "effective_priority", "expected_version", "fix", "key", "kind"),
    *("level", "message", "name", "namespace", "new", "noun", "onto", "outcome", "page", "paste"),
    *("pods", "priority", "queue", "requests", "revert_after_minutes", "revision", "rules"),
    *("sample", "seen", "sets", "text", "text-0", "title", "to", "type", "typed", "v", "value"),
    *("version", "workload"),
)
VALUES = (
    "\0",
    "x" * 3000,
    str(HUGE),
    "2147483648",
    "0" * 20 + "9" * 30,
    "-1",
    "٣",
    "a\nb",
    "{",
    "1",
    "\ud7ff\U0010ffff",
)
#: What pages read of their addresses.
PARAMETERS = {
    "config/history": ("author", "kind", "noun", "name", "cursor"),
    "config/v/1": ("diff", "blame"),
    "config/compare": ("a", "b", "draft"),
    "config/compare/1...1": ("diff", "page"),
    "config/drafts": ("cursor",),
    "config/review": ("draft", "to", "request", "diff"),
    "config/reviews": ("cursor",),
    "config/conflict": ("draft",),
    "config/impact": ("draft", "to"),
    "tools/route": (
        *("config", "beside", "key", "value", "namespace", "priority", "requests", "pods"),
        *("paste", "workload", "rules", "draft", "replicas", "template", "placement"),
    ),
    "tools/placements": ("cursor", "columns"),
    "tools/route/many": ("config",),
    "tools/expectations": ("config", "as"),
    "tools/expectations/new": ("key", "value", "priority", "name", "queue", "pods"),
}
#: What a form is told to do, beside what no form is told.
VERBS = (
    *("", "save", "check", "review", "take", "seize", "copy", "from", "sample", "merge", "mine"),
    *("confirm", "revert"),
)


def addresses(world: World, number: int) -> Iterator[str]:
    """Yield the address of every page of the organization, with *number* where one stands."""
    for pattern in urls.urlpatterns:
        assert isinstance(pattern, URLPattern)
        names = pattern.pattern.converters
        if "org" not in names:
            continue
        words = {"org": world.org.slug, "uid": world.waiting.uid, "queue": "research"}
        words["cohort"] = "nothing"
        arguments = {name: words.get(name, number) for name in names}
        yield reverse(f"pages:{pattern.name}", kwargs=arguments)


def send_forms(browser: Client, urls: Iterable[str], form: dict[str, str]) -> None:
    """
    Send *form* to each address that accepts forms, with each verb that makes a difference.

    If a view answers without having read the verb, it would answer the same with any other.
    """
    for url in urls:
        with read_fields() as read:
            status = browser.post(url, {"do": "strange", **form}).status_code
        assert status < 500, (url, form)
        apply_all_intake()
        for do in VERBS if "do" in read else ():
            assert browser.post(url, {"do": do, **form}).status_code < 500, (url, do, form)
            apply_all_intake()


@contextmanager
def read_fields() -> Iterator[set[str]]:
    """Collect the names of the parameters and form fields whose values are read in the block."""
    read: set[str] = set()
    get, get_list, all_lists = QueryDict.__getitem__, QueryDict._getlist, QueryDict.lists

    def get_noted(fields: QueryDict, name: str) -> Any:
        read.add(name)
        return get(fields, name)

    def get_list_noted(fields: QueryDict, name: str, *rest: Any, **more: Any) -> Any:
        read.add(name)
        return get_list(fields, name, *rest, **more)

    def all_lists_noted(fields: QueryDict) -> Any:
        read.update(fields)
        return all_lists(fields)

    with (
        patch.object(QueryDict, "__getitem__", get_noted),
        patch.object(QueryDict, "_getlist", get_list_noted),
        patch.object(QueryDict, "lists", all_lists_noted),
    ):
        yield read


org, owner = module_org()
made, world = module_world()


@pytest.fixture
def number(world: World, owner: Actor) -> int:
    """The number of a draft on a version, which an impact run or an expectation may have, too."""
    made = Draft.objects.create(
        org=world.org, author=owner.user, dialect="native", text=CONFIG, base=1, revision=1
    )
    return made.pk


def test_wild_queries(world: World, number: int, browser: Client) -> None:
    for url, value in product(addresses(world, number), VALUES):
        query = dict.fromkeys(NAMES, value)
        assert browser.get(url, query).status_code < 500, (url, value)


@pytest.mark.parametrize("path", PARAMETERS)
def test_one_wild_parameter(path: str, world: World, number: int, browser: Client) -> None:
    for name, value in product(PARAMETERS[path], VALUES):
        url = f"/o/{world.org.slug}/{path}"
        assert browser.get(url, {name: value}, follow=True).status_code < 500, (name, value)


@pytest.mark.parametrize("value", ["\0", str(HUGE), "1"], ids=ascii)
def test_wild_forms(value: str, world: World, number: int, browser: Client) -> None:
    send_forms(browser, addresses(world, number), dict.fromkeys(NAMES, value))


def test_empty_forms(world: World, number: int, browser: Client) -> None:
    send_forms(browser, addresses(world, number), {})


@pytest.mark.parametrize("at", [0, HUGE])
def test_numbers_that_nothing_has(at: int, world: World, browser: Client) -> None:
    urls = list(addresses(world, at))
    if at:
        # Addresses without a number are those of the other case.
        urls = [url for url in urls if str(at) in url]
    for url in urls:
        assert browser.get(url).status_code < 500, url
    send_forms(browser, urls, {"text": "{}"})


GOOD: dict[str, Any] = {
    "seq": 1, "dialect": "native", "text": CONFIG, "base": 1, "revision": 1, "line": 1,
    "column": 1, "title": "",
}  # fmt: skip
WRONG = (
    *(None, True, -1, 0, 1.5, HUGE, 2**31, "", "\0", "\ud800", "kueue", "[" * 5000, [], {}, [[1]]),
    "a: &a [*a]",
)
BODIES = [
    *(b"", b"\xff", b"[]", b"null", b"1", b'"x"', b"{" * 100_000, b"[" * 100_000),
    *(b'{"base": ' + b"9" * 5000 + b"}", b'{"seq": NaN, "text": "", "dialect": "native"}'),
    *(json.dumps({**GOOD, name: wrong}).encode() for name in GOOD for wrong in WRONG),
    *(json.dumps({k: v for k, v in GOOD.items() if k != name}).encode() for name in GOOD),
]


def test_wild_bodies(world: World, number: int, browser: Client) -> None:
    paths = ("/config/edit/", f"/drafts/{number}/")
    calls = [url for url in addresses(world, number) if any(path in url for path in paths)]
    for url, body in product(calls, BODIES):
        status = browser.post(url, body, "application/json").status_code
        assert status < 500, (url, body[:200])
        apply_all_intake()


def test_an_outsider_finds_nothing_behind_any_address_or_form(
    world: World, number: int, outsider: User
) -> None:
    browser = Client()
    browser.force_login(outsider)
    found = set()
    for url in addresses(world, number):
        found |= {browser.get(url).status_code, browser.post(url, {"do": "save"}).status_code}
        found.add(browser.post(url, json.dumps(GOOD), "application/json").status_code)
    assert found == {404}


def test_a_stranger_is_sent_to_sign_in(world: World, number: int) -> None:
    browser = Client()
    found = {
        send(url).status_code
        for url, send in product(addresses(world, number), (browser.get, browser.post))
    }
    assert found == {302}


def test_forms_and_calls_need_their_token(world: World, number: int, owner: Actor) -> None:
    browser = Client(enforce_csrf_checks=True)
    assert owner.user is not None
    browser.force_login(owner.user)
    for url in addresses(world, number):
        assert browser.post(url, {"do": "save"}).status_code == 403, url
