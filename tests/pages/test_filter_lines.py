"""Filters as a line of text above the lists of workloads and queues."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from console.engine.model.reasons import registered_reasons
from console.workloads.queries.filters import REASON_CLASSES
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import complaints, read_page

org, owner = module_org()
made, world = module_world()

LIST = "/o/here/workloads"
WORDS = f"{LIST}/words"
QUEUES = "/o/here/queues"
QUEUE_WORDS = "/o/here/queue-words"


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("state:pending", {"state": "pending"}),
        ("State:pending eval", {"state": "pending", "q": "eval"}),
        ("class:waiting type:job", {"reason_class": "waiting", "type": "job"}),
        ("team:research label.state:x", {"label.team": "research", "label.state": "x"}),
        ('user:"a b" priority:>5 older:2h', {"user": "a b", "priority": ">5", "older": "2h"}),
        ("label.a:b:c newer:7d", {"label.a": "b:c", "newer": "7d"}),
    ],
)
def test_a_line_becomes_the_parameters_of_the_address(
    world: World, browser: Client, line: str, query: dict[str, str]
) -> None:
    answer = browser.get(LIST, {"line": line, "cols": "queue", "cursor": "5"})
    assert answer.status_code == 302
    address = urlsplit(answer["Location"])
    assert dict(parse_qsl(address.query)) == {**query, "cols": "queue"}
    page = read_page(browser.get(answer["Location"]))
    assert len(page.all("a", class_="chip")) >= len(query)
    assert complaints(page) == []


@pytest.mark.parametrize(
    ("line", "text", "suggestion"),
    [
        (
            "ml state:pendig",
            (
                "state:pendig : state has to be one of: pending, admitted, preempting, finished, "
                "rejected, withdrawn."
            ),
            "ml state:pending",
        ),
        ("stat:pending ml", "stat:pending : There is no filter stat;", "state:pending ml"),
        ("state:", "state: : Write a value after state:, without a space.", ""),
        ("ml gpu", "gpu : This filter occurs twice; each has one value.", ""),
        (
            "priority:high",
            (
                "priority:high : priority has to be a whole number or a range such as >5, <=9 or "
                "1..9."
            ),
            "",
        ),
        (
            "older:soon",
            "older:soon : older has to be a span of time such as 30m, 2h or 7d.",
            "",
        ),
    ],
)
def test_a_mistake_is_named_at_its_place_with_a_suggestion(
    world: World, browser: Client, line: str, text: str, suggestion: str
) -> None:
    page = read_page(browser.get(LIST, {"line": line, "queue": "research"}))
    field = page.id("f-line")
    assert (field.attrs["value"], field.attrs["aria-invalid"]) == (line, "true")
    (mistake,) = page.id("f-line-mistakes").all("li")
    assert text in mistake.text.replace(" :", " :")
    links = mistake.all("a")
    assert [link.text for link in links] == ([suggestion] if suggestion else [])
    for link in links:
        assert dict(parse_qsl(urlsplit(link.attrs["href"]).query)) == {
            "queue": "research",
            "line": suggestion,
        }
    assert complaints(page) == []


def test_filters_by_priority_and_age(world: World, browser: Client) -> None:
    def names(query: str) -> list[str]:
        page = read_page(browser.get(f"{LIST}?{query}"))
        rows = page.all("tbody", id="workload-rows")
        return [link.text for link in rows[0].all("a", class_="dense__name")] if rows else []

    every = names("")
    assert len(every) > 3
    assert names("newer=1h") == every
    assert names("older=1h") == []
    above = names("priority=%3E0")
    assert set(above) | set(names("priority=%3C%3D0")) <= set(every)
    assert not set(above) & set(names("priority=0"))


def test_words_continue_a_line(world: World, browser: Client) -> None:
    def offered(line: str, address: str = WORDS) -> list[tuple[str, dict[str, str]]]:
        page = read_page(browser.get(address, {"line": line, "type": "job"}))
        assert complaints(page) == []
        return [
            (link.text, dict(parse_qsl(urlsplit(link.attrs["href"]).query)))
            for link in page.id("f-line-words").all("a")
        ]

    assert offered("older:1h state:pe") == [
        ("state:pending", {"type": "job", "older": "1h", "state": "pending"})
    ]
    assert len(offered("")) == 12
    assert offered("nothing-like-it") == []
    assert ("queue:research", {"type": "job", "queue": "research"}) in offered("rese")
    assert [text for text, _ in offered("state:h", QUEUE_WORDS)] == ["state:held"]


def test_only_reasons_that_occur_are_offered(world: World, browser: Client) -> None:
    def offered(parameter: str, name: str, value: str) -> bool:
        page = read_page(browser.get(WORDS, {"line": f"{name}:{value}"}))
        wanted = {parameter: value}
        links = page.id("f-line-words").all("a")
        return any(dict(parse_qsl(urlsplit(link.attrs["href"]).query)) == wanted for link in links)

    def occurs(parameter: str, value: str) -> bool:
        page = read_page(browser.get(LIST, {parameter: value}))
        rows = page.all("tbody", id="workload-rows")
        return bool(rows and rows[0].all("a", class_="dense__name"))

    reasons = {each: occurs("reason", each) for each in registered_reasons()}
    assert {True, False} == set(reasons.values())
    assert {each: offered("reason", "reason", each) for each in reasons} == reasons
    classes = {each: occurs("reason_class", each) for each in REASON_CLASSES}
    assert {each: offered("reason_class", "class", each) for each in classes} == classes


def test_the_line_of_queues(world: World, browser: Client) -> None:
    answer = browser.get(QUEUES, {"line": "state:accepting rese"})
    assert answer["Location"] == f"{QUEUES}?state=accepting&q=rese"
    page = read_page(browser.get(QUEUES, {"line": "team:a"}))
    assert page.id("f-line-mistakes").text.endswith(
        "There is no filter team; there are: name, cohort, state."
    )
