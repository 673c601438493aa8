"""History, comparison and version pages: sentences about changes, and filters."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.configs.history import effect_note
from console.pages.presenters.configs.text_diff import PAGE_ROWS
from console.policies.queries import active_number
from console.workloads.models import RecordedShape
from tests.pages.conftest import CONFIG
from tests.pages.page import Element, complaints, read_page

HISTORY = "/o/here/config/history"
SMALLER = CONFIG.replace("nominal_quota: 8", "nominal_quota: 6").replace(
    "name: research\n", "name: lab\n"
)
SMALLER = SMALLER.replace("resource_queue: research", "resource_queue: lab")
#: The rules in reverse order: the rule that is now first matches all workloads of the other one.
REVERSED_RULES = CONFIG[: CONFIG.index("  - selector: [{ key: team, operator: in")] + (
    "  - selector: [{ key: team, operator: exists }]\n"
    "    resource_queue: default\n"
    "  - selector: [{ key: team, operator: in, values: [research] }]\n"
    "    resource_queue: research\n"
    "    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }\n"
)


@pytest.fixture
def browser(owner: Actor, client_for) -> Client:
    """The owner's browser."""
    return client_for(owner)


def groups(page: Element) -> dict[str, list[str]]:
    """Return the sentences about changes by the heading of their group."""
    found = {}
    for group in page.all("details", class_="change-group"):
        heading = group.all("h3")[0].text
        found[heading] = [item.text for item in group.walk() if item.attrs.get("class") == "change"]
    return found


def chips(page: Element) -> list[str]:
    return [item.text for item in page.walk() if item.attrs.get("class") == "change-chip"]


def tabs(page: Element) -> list[tuple[str, bool]]:
    ways = next(nav for nav in page.all("nav") if nav.attrs.get("aria-label") == "Ways to compare")
    return [(link.text, "aria-current" in link.attrs) for link in ways.all("a")]


def test_a_renamed_queue_with_a_smaller_quota(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", SMALLER, "smaller", 1)
    page = read_page(browser.get("/o/here/config/compare/1...2"))
    assert page.all("h1")[0].text == "From version 1 to version 2"
    assert chips(page) == ["1 queue renamed"]
    ((heading, told),) = groups(page).items()
    assert heading == "Queues 1 unchanged"
    sentence = "Queue research renamed to lab line 5 spot / gpu nominal from 8 → to 6 (−2)"
    assert told == [f"→ {sentence} rule 1 to lab uses the new name"]
    risk = [item.text for item in page.all("p") if "change-risk" in item.attrs.get("class", "")]
    assert risk == ["Total nominal quota: spot / gpu −2."]
    titles = [title for title, _ in tabs(page)]
    assert titles == ["Meaning", "Text", "Side by side", "With defaults"]


def test_a_rule_that_moved_says_what_it_takes(
    config: None, owner: Actor, org: Organization, browser: Client, submit
) -> None:
    for name in ("one", "two"):
        submit(name, gpu=1)
    assert RecordedShape.objects.get(org=org).runs == 2
    apply_config(owner, "native", REVERSED_RULES, "the wrong way round", 1)
    page = read_page(browser.get("/o/here/config/compare/1...2"))
    assert chips(page) == ["1 rule moved"]
    (told,) = groups(page)["Rules 1 unchanged"]
    assert "where team is research" in told
    assert "2 workloads in the last 30 days." in told
    assert "priority 0 to 100 or none" in told


def test_the_ways_to_compare_are_links(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", SMALLER.replace("  - name: default", "  -  name: default"), "", 1)
    url = "/o/here/config/compare/1...2"
    current = {
        view: [
            title
            for title, is_current in tabs(read_page(browser.get(url, {"diff": view})))
            if is_current
        ]
        for view in ("", "meaning", "text", "split", "effective", "strange")
    }
    assert current == {
        "": ["Meaning"],
        "meaning": ["Meaning"],
        "text": ["Text"],
        "split": ["Side by side"],
        "effective": ["With defaults"],
        "strange": ["Meaning"],
    }
    text = read_page(browser.get(url, {"diff": "text"}))
    words = [item.text for item in text.walk() if item.attrs.get("class") == "diff__word"]
    assert [word for word in words if word] == ["research", "lab", "8", "6", "research", "lab"]
    hide = next(link for link in text.all("a") if link.text == "Hide whitespace changes")
    hidden = read_page(browser.get(hide.attrs["href"].partition("#")[0]))
    assert len(hidden.rows()) < len(text.rows())
    effective = read_page(browser.get(url, {"diff": "effective"}))
    lines = ["".join(row[3].split()) for row in effective.rows() if len(row) == 4]
    assert "queuelab:" in lines
    assert "borrowing_limit:unlimited" in lines


def test_a_long_comparison_has_pages(owner: Actor, browser: Client) -> None:
    names = [f"team-{number:04}" for number in range(1_600)]
    text = "resource_queues:\n" + "".join(f"  - name: {name}\n" for name in names)
    apply_config(owner, "native", text, "", 0)
    apply_config(owner, "native", text.replace("team", "group"), "", 1)
    url = "/o/here/config/compare/1...2"

    def pager(page: Element) -> dict[str, str]:
        (found,) = page.all("nav", class_="pager")
        return {link.text: link.attrs["href"] for link in found.all("a")}

    told: list[str] = []
    address: str | None = url
    while address:
        page = read_page(browser.get(address))
        ((heading, lines),) = groups(page).items()
        assert heading == "Queues"
        told += lines
        links = pager(page)
        assert ("First page" in links) == (address != url)
        address = links.get("Next page")
    assert chips(page) == ["+1600 queues", "−1600 queues"]
    assert len(told) == len(set(told)) == 3_200
    assert "201 to 400 of 3 200" in read_page(browser.get(f"{url}?from=200")).id("difference").text
    for view, rows in (("text", 3_201), ("split", 1_601), ("effective", None)):
        counts = []
        address = f"{url}?diff={view}"
        while address:
            page = read_page(browser.get(address))
            assert page.all("nav", class_="pager") == []
            lines = page.id("difference").all("td", class_="diff__sign")
            counts.append(len(lines) // (2 if view == "split" else 1))
            more = [each for each in page.all("a") if each.text.startswith("Show more rows")]
            address = more[0].attrs["href"] if more else None
        assert len(counts) > 1
        # The text with defaults has gaps, which are rows without lines.
        if rows is not None:
            assert set(counts[:-1]) == {PAGE_ROWS}
            assert sum(counts) == rows
    # A page number that no longer exists shows the first page.
    beyond = read_page(browser.get(f"{url}?from=9000"))
    assert groups(beyond) == groups(read_page(browser.get(url)))


def test_only_comments_differ(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", f"# why\n{CONFIG}", "a comment", 1)
    page = read_page(browser.get("/o/here/config/compare/1...2"))
    assert "The meaning does not change" in page.id("difference").text
    effective = read_page(browser.get("/o/here/config/compare/1...2", {"diff": "effective"}))
    assert "are identical with all defaults written out" in effective.id("difference").text
    same = read_page(browser.get("/o/here/config/compare/1...1"))
    assert "The texts are identical" in same.id("difference").text


def version_fields(response: HttpResponse) -> list[tuple[str, str, str]]:
    """Return the fields of the form for two versions: label, value, error."""
    page = read_page(response)
    assert complaints(page) == []
    form = next(form for form in page.id("main").all("form"))
    return [
        (
            field.all("label")[0].text,
            field.all("input")[0].attrs["value"] or "",
            " ".join(each.text for each in field.all("p")),
        )
        for field in form.all("div")
        if "field" in (field.attrs.get("class") or "").split()
    ]


def test_a_form_asks_for_versions_until_two_are_chosen(
    config: None, owner: Actor, browser: Client
) -> None:
    url = "/o/here/config/compare"
    one = browser.get(url)
    assert (one.status_code, version_fields(one)) == (
        200,
        [("From version", "v1", ""), ("To version", "v1", "")],
    )
    apply_config(owner, "native", SMALLER, "", 1)
    for query, status, fields in (
        ({}, 200, [("v1", ""), ("v2", "")]),
        ({"a": "2"}, 200, [("2", ""), ("v2", "")]),
        (
            {"a": "x", "b": "v9"},
            400,
            [("x", "'x' is not a version."), ("v9", "There is no version 9.")],
        ),
        ({"a": "1", "b": "9"}, 400, [("1", ""), ("9", "There is no version 9.")]),
    ):
        answer = browser.get(url, query)
        assert (answer.status_code, [each[1:] for each in version_fields(answer)]) == (
            status,
            fields,
        )
    assert browser.get(url, {"a": "v1", "b": " 2"}).headers["Location"] == f"{url}/1...2"


def test_before_the_first_version_there_is_nothing_to_compare(browser: Client) -> None:
    answer = browser.get("/o/here/config/compare")
    assert (answer.status_code, "No versions yet" in read_page(answer).text) == (200, True)


def test_a_draft_is_compared_with_a_version(
    config: None, owner: Actor, org: Organization, browser: Client
) -> None:
    draft = begin_draft(owner, "native", SMALLER, active_number(org), "smaller")
    url = "/o/here/config/compare"
    page = read_page(browser.get(url, {"draft": draft.pk}))
    assert page.all("h1")[0].text == f"From version 1 to draft {draft.pk}"
    assert chips(page) == ["1 queue renamed"]
    broken = begin_draft(owner, "native", "resource_queues: 3", 1, "")
    page = read_page(browser.get(url, {"draft": broken.pk, "a": "1"}))
    assert "only lines can be compared" in page.id("difference").text
    assert [title for title, _ in tabs(page)] == ["Text", "Side by side"]
    assert browser.get(url, {"draft": draft.pk, "a": "9"}).status_code == 404


def test_history_finds_versions_by_object(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", f"# why\n{CONFIG}", "a comment", 1)
    apply_config(owner, "native", SMALLER, "smaller", 2)
    assert [row[1] for row in read_page(browser.get(HISTORY)).rows()] == [
        "v3 Active Applied",
        "v2 Applied",
        "v1 Applied",
    ]
    found = read_page(browser.get(HISTORY, {"noun": "queue", "name": "lab"}))
    assert [row[1] for row in found.rows()] == ["v3 Active Applied", "v1 Applied"]
    assert "Earlier names: research." in found.id("main").text
    nothing = read_page(browser.get(HISTORY, {"noun": "cohort"}))
    assert nothing.rows() == []
    assert "No version matches these filters" in nothing.id("main").text
    assert browser.get(HISTORY, {"noun": "", "kind": "apply"}).headers["Location"] == (
        f"{HISTORY}?kind=apply"
    )


def test_history_finds_the_versions_of_some_days(
    config: None, owner: Actor, browser: Client
) -> None:
    apply_config(owner, "native", SMALLER, "smaller", 1)
    ConfigVersion.objects.filter(number=1).update(created_at="2026-01-31T23:59:59.500Z")
    found = read_page(browser.get(HISTORY, {"since": "2026-01-31", "until": "2026-01-31"}))
    assert [row[0] for row in found.rows()] == ["v1 Applied"]
    assert [found.id(name).attrs["value"] for name in ("f-since", "f-until")] == ["2026-01-31"] * 2
    assert [link.attrs["href"] for link in found.id("main").all("a", class_="chip")] == [
        f"{HISTORY}?until=2026-01-31",
        f"{HISTORY}?since=2026-01-31",
    ]
    later = read_page(browser.get(HISTORY, {"since": "2026-02-01T00:00:00Z"}))
    assert [row[0] for row in later.rows()] == ["v2 Active Applied"]
    assert later.id("f-since").attrs["value"] == "2026-02-01"
    assert browser.get(HISTORY, {"until": "soon"}).status_code == 400


def test_history_is_paged(config: None, owner: Actor, browser: Client) -> None:
    for number in range(1, 25):
        apply_config(owner, "native", f"# {number}\n{CONFIG}", "", number)
    first = read_page(browser.get(HISTORY))
    assert (first.rows()[0][1], first.rows()[-1][1]) == ("v25 Active Applied", "v6 Applied")
    following = next(link for link in first.all("a") if link.text == "Next page")
    last = read_page(browser.get(following.attrs["href"]))
    assert [row[1] for row in last.rows()] == [f"v{n} Applied" for n in range(5, 0, -1)]


def test_a_version_shows_its_effects(config: None, org: Organization, browser: Client) -> None:
    day = {"submitted": 40, "admitted": 30, "rejected": 2, "wait_p50": 4.0, "is_whole": True}
    ConfigVersion.objects.filter(org=org).update(
        effect={
            "before": day | {"wait_p95": 100.0},
            "after": day | {"wait_p95": 30.0, "rejected": 0},
            "other_versions": 1,
        }
    )
    (row,) = read_page(browser.get(HISTORY)).rows()
    waits = "wait p50 4.0 s, p95"
    # A single version has nothing to be compared with.
    assert row[3] == (
        "▲ better: wait p95 1 min 40 s → 30 s, rejections −2 "
        f"24 h before: 40 submitted, 30 admitted, 2 rejected; {waits} 1 min 40 s (n = 30) "
        f"24 h after: 40 submitted, 30 admitted, 0 rejected; {waits} 30 s (n = 30) "
        "1 other version was applied in these 48 hours."
    )


@pytest.mark.parametrize(
    ("before", "after", "trend"),
    [
        ((100, 10), (200, 20), "same"),
        ((100, 10), (200, 15), "better"),
        ((100, 10), (50, 8), "worse"),
        ((0, 0), (50, 0), "same"),
        ((0, 0), (50, 1), "worse"),
    ],
)
def test_rejections_are_judged_by_their_share(
    before: tuple[int, int], after: tuple[int, int], trend: str
) -> None:
    days = {
        name: {
            "submitted": submitted,
            "admitted": 0,
            "rejected": rejected,
            "wait_p50": None,
            "wait_p95": None,
            "is_whole": True,
        }
        for name, (submitted, rejected) in (("before", before), ("after", after))
    }
    assert effect_note({**days, "other_versions": 0}, timedelta(days=1)).trend == trend


def test_a_version_tells_who_changed_each_line(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", SMALLER, "smaller", 1)
    page = read_page(browser.get("/o/here/config/v/2", {"blame": "1"}))
    runs = [item for item in page.walk() if item.attrs.get("class") == "source__run"]
    told = [run.all("p")[0].all("a")[0].text for run in runs]
    assert told == ["v1", "v2", "v1", "v2", "v1", "v2", "v1"]
    assert "smaller" in runs[1].all("p")[0].text
    lines = [item for item in page.walk() if item.attrs.get("class") == "source__line"]
    assert [line.attrs["id"] for line in lines] == [
        f"L{number}" for number in range(1, CONFIG.count("\n") + 1)
    ]


def test_a_version_shows_what_it_changed(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", SMALLER, "smaller", 1)
    plain = read_page(browser.get("/o/here/config/v/2"))
    assert "Changes: → Queue research renamed to lab." in plain.id("main").text
    page = read_page(browser.get("/o/here/config/v/2", {"diff": "meaning"}))
    assert chips(page) == ["1 queue renamed"]
    first = read_page(browser.get("/o/here/config/v/1", {"diff": "meaning"}))
    assert chips(first) == ["+1 flavor", "+2 queues", "+2 rules"]


@pytest.mark.parametrize(("hours", "badge"), [(1, "no data yet"), (49, "not measured")])
def test_an_old_version_without_an_effect_is_not_measured(hours: int, badge: str) -> None:
    assert effect_note(None, timedelta(hours=hours)).badge == badge
