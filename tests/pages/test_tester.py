"""Pages of the rule tester: one label set, a batch of label sets, and expectations."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.configs.expectation_files import read_expectation_file
from console.configs.models import Draft, Expectation
from console.configs.services.apply_config import apply_config
from console.dialects.kueue import DIALECT as KUEUE
from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.pages.pasted_labels import paste_many, paste_one
from console.reading.typed_values import read_typed
from console.workloads.models import Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, complaints, read_page

TESTER = "/o/here/tools/route"
MANY = f"{TESTER}/many"
EXPECTATIONS = "/o/here/tools/expectations"


def valid_page(response: HttpResponse) -> Element:
    """Return a page, and fail unless its markup is valid."""
    assert response.status_code == 200, response.status_code
    page = read_page(response)
    assert complaints(page) == []
    return page


def verdicts(page: Element) -> list[str]:
    """Return the sentence of each result."""
    return [each.text for each in page.all("p") if "headline__text" in each.attrs.get("class", "")]


def stages(page: Element, heading: str) -> list[str]:
    """Return the first sentence of every stage (rule, door or flavor) under *heading*."""
    section = next(
        each for each in page.all("section") if any(h.text == heading for h in each.all("h2"))
    )
    return [
        f"{stage.all('h3')[0].text}: {stage.all('p')[0].text.replace(' ,', ',')}"
        for stage in section.all("li")
        if "stage" in stage.attrs.get("class", "").split()
    ]


def test_a_label_set_shows_every_rule_with_its_truth_table(browser: Client, world: World):
    page = valid_page(browser.get(f"{TESTER}?config=active&key=team&value=web&requests=gpu%3D2"))
    assert verdicts(page) == ["Rule 2 routes it to default with priority 0."]
    assert stages(page, "Rules, in order") == [
        "Rule 1: research · Does not match. v1 L14–L16",
        "Rule 2: default, priority 0 · Accepts it. v1 L17–L18",
    ]
    tables = [table for table in page.all("table") if "truth" in table.attrs["class"]]
    assert [table.rows() for table in tables] == [
        [["team in [research] v1 L14", "'web'", "no"]],
        [["team exists v1 L17", "'web'", "yes"]],
    ]
    ways = [link for link in page.all("a") if link.text.startswith("Test this")]
    assert [way.text for way in ways] == ["Test this for rule 1"]
    there = valid_page(browser.get(ways[0].attrs["href"]))
    assert verdicts(there) == ["Rule 1 routes it to research with priority 50."]


def test_fits_now_counts_running_workloads(browser: Client, world: World):
    page = valid_page(
        browser.get(f"{TESTER}?config=active&key=team&value=research&requests=gpu%3D4")
    )
    assert [each.text for each in page.all("span") if each.attrs.get("class") == "fact__text"] == [
        "It can fit: if nothing else ran, it would start on spot.",
        "Waiting for quota in research: needs 4 GPUs on spot, 2 free now, 2 short.",
    ]
    assert stages(page, "Flavors of research") == ["spot: Accepts it. v1 L10–L11"]
    assert ["gpu", "4", "8", "2"] in [row for t in page.all("table") for row in t.rows()]


def test_labels_that_are_absent_show_what_they_would_change(browser: Client, world: World):
    page = valid_page(browser.get(f"{TESTER}?key=&config=active"))
    assert verdicts(page)[0].startswith("Rejected: none of the 2 scheduling rules accepts it.")
    (table,) = (
        t for t in page.all("table") if "Effect of each absent label" in t.all("caption")[0].text
    )
    assert table.rows() == [
        [
            "team",
            "research",
            "research by rule 1 with priority 50 on spot Test this with team research",
        ],
        ["team", "any other value", "default by rule 2 with priority 0"],
    ]


def test_the_address_holds_the_whole_test_and_nothing_more(browser: Client, world: World):
    typed = {
        "config": "active",
        "beside": "",
        "key": ["team", "", "tier"],
        "value": ["research", "", ""],
        "namespace": "",
        "priority": " 7 ",
        "requests": "gpu=8",
        "paste": "",
        "workload": "",
    }
    response = browser.get(TESTER, typed)
    assert response.status_code == 302
    assert response.headers["Location"] == (
        f"{TESTER}?key=team&value=research&key=tier&value=&config=active&priority=7&requests=gpu%3D8"
    )
    page = valid_page(browser.get(response.headers["Location"]))
    keys = [each.attrs.get("value", "") for each in page.all("input", name="key")]
    assert keys == ["team", "tier", "", "", ""]
    assert page.id("f-priority").attrs["value"] == "7"
    assert valid_page(browser.get(f"{response.headers['Location']}&rules=1")).all("ol") != []


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("team=web, tier=gold", "key=team&value=web&key=tier&value=gold"),
        ("team: web\ntier: 8", "key=team&value=web&key=tier&value=8"),
        ('{"labels": {"team": "web"}, "priority": 3}', "key=team&value=web"),
    ],
)
def test_pasted_labels_become_rows(browser: Client, world: World, text: str, labels: str):
    response = browser.get(TESTER, {"config": "active", "paste": text})
    assert response.status_code == 302
    assert response.headers["Location"].startswith(f"{TESTER}?{labels}&config=active")
    assert verdicts(valid_page(browser.get(response.headers["Location"]))) != []


def test_a_real_workload_is_tested_as_it_was_handed_in(browser: Client, world: World):
    response = browser.get(TESTER, {"config": "active", "workload": world.waiting.uid})
    assert response.headers["Location"] == (
        f"{TESTER}?key=team&value=research&key=workload-type&value=job&config=active"
        "&user=nightly&requests=gpu%3D4"
    )
    page = valid_page(browser.get(response.headers["Location"]))
    assert verdicts(page) == ["Rule 1 routes it to research with priority 50."]


def test_a_workload_of_several_pods_is_tested_with_its_pod_sets(
    browser: Client, owner: Actor, settle: Callable, client_for: Callable[[Actor], Client]
):
    apply_config(owner, "kueue", KUEUE.samples()["Two teams share one cohort"], "", 0)
    value = {
        "name": "many",
        "namespace": "vision",
        "tags": {"kueue.x-k8s.io/queue-name": "training"},
        "pod_sets": [{"count": 4, "requests": {"cpu": 60}, "node_selector": {"capacity": "spot"}}],
    }
    (row,) = submit_workloads(owner, read_submissions([value]))
    location = browser.get(TESTER, {"workload": row.uid}).headers["Location"]
    assert f"pods={row.uid}" in location
    page = valid_page(browser.get(location))
    assert verdicts(page) == [
        "Local queue training of namespace vision routes it to vision with priority 0."
    ]
    reserved, spot = stages(page, "Flavors of vision")
    assert reserved.startswith(
        "reserved: Does not match: the pods require nodes with capacity in ["
    )
    assert spot.startswith("spot: Accepts it.")
    (local_queue,) = stages(page, "Local queues of namespace vision")
    assert local_queue.startswith("training: Leads to vision. v1 L")


def test_two_configs_stand_side_by_side(browser: Client, world: World, owner: Actor):
    text = CONFIG.replace(
        "team, operator: in, values: [research]", "team, operator: in, values: [web]"
    )
    draft = Draft.objects.create(org=owner.org, author=owner.user, dialect="native", text=text)
    page = valid_page(browser.get(f"{TESTER}?config=1&beside=draft-{draft.pk}&key=team&value=web"))
    assert verdicts(page) == [
        "Rule 2 routes it to default with priority 0.",
        "Rule 1 routes it to research with priority 50.",
    ]
    assert [h.text for h in page.all("h2") if "headline__class" in h.attrs.get("class", "")] == [
        "Version 1",
        f"Draft {draft.pk}",
    ]


def test_the_tests_of_a_draft_are_tests_on_it(browser: Client, world: World, owner: Actor):
    draft = Draft.objects.create(org=owner.org, author=owner.user, dialect="native", text=CONFIG)
    page = valid_page(browser.get(f"{TESTER}?draft={draft.pk}"))
    assert page.all("h1")[0].text == f"Tests of draft {draft.pk}"
    here = [link.text for link in page.all("a") if link.attrs.get("aria-current") == "page"]
    assert here == ["Config", "Tests", "One label set"]
    (chosen,) = (o for o in page.id("f-config").all("option") if "selected" in o.attrs)
    assert chosen.attrs["value"] == f"draft-{draft.pk}"


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("key=&priority=high", "priority", "'high' is not a whole number."),
        ("key=&requests=gpu%3Dmany", "requests.gpu", ""),
        ("key=a&value=1&key=a&value=2", "labels", "The label a is given twice."),
        ("key=&value=1", "labels", "A value has no key."),
        ("config=draft-99&key=", "config", "There is no draft 99"),
        ("config=77&key=", "config", "There is no version 77"),
        ("config=x&key=", "config", "Use active"),
        ("workload=%00", "workload", "There is no workload"),
        ("workload=nothing", "workload", "There is no workload 'nothing' in here."),
        ("paste=%5B", "paste", "Line 1: "),
        ("paste=team", "paste", "A label set must be key=value text"),
        ("paste=team%3A+%5B1%5D", "paste", "The label team must be a string."),
        (
            "paste=%7Blabels%3A+%7Ba%3A+b%7D%2C+pod_sets%3A+%5B%7Bcount%3A+2%7D%5D%7D",
            "paste",
            "A single test does not accept pod_sets",
        ),
        ("draft=%C2%B2&key=", "config", "Use active"),
    ],
)
def test_invalid_tests_are_refused(
    browser: Client, world: World, query: str, field: str, says: str
):
    response = browser.get(f"{TESTER}?{query}", follow=True)
    assert response.status_code == 400
    page = read_page(response)
    assert complaints(page) == []
    assert page.id("tester-errors").all("li")[0].text.startswith(f"{field} {says}".strip())
    assert verdicts(page) == []


def test_a_draft_with_errors_is_not_tested(browser: Client, world: World, owner: Actor):
    draft = Draft.objects.create(org=owner.org, author=owner.user, dialect="native", text="a: 1")
    response = browser.get(f"{TESTER}?config=draft-{draft.pk}&key=")
    assert response.status_code == 400
    assert f"Draft {draft.pk} has errors and cannot be tested" in (
        read_page(response).id("tester-errors").text
    )

    tab = valid_page(browser.get(f"{TESTER}?draft={draft.pk}"))
    assert tab.all("h1")[0].text == f"Tests of draft {draft.pk}"
    assert "cannot be tested" in tab.id("tester-errors").text


def test_a_test_asks_no_more_of_the_database_when_more_is_there(
    browser: Client, world: World, submit: Callable[..., Workload], owner: Actor
):
    url = f"{TESTER}?config=active&beside=1&key=team&value=research&requests=gpu%3D2"

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            valid_page(browser.get(url))
        return len(queries)

    asked()
    before = asked()
    for number in range(5):
        submit(f"more-{number}", gpu=1, team=f"team-{number}")
        Draft.objects.create(org=owner.org, author=owner.user, dialect="native", text=CONFIG)
    assert asked() == before <= 20


def test_without_a_config_everything_is_admitted(browser: Client, owner: Actor):
    page = valid_page(browser.get(f"{TESTER}?key=team&value=web&config=active"))
    assert verdicts(page) == ["Admitted without a queue: the config has no scheduling rules."]


def test_more_rules_than_a_page_shows_are_on_the_next(browser: Client, owner: Actor):
    rules = "".join(
        f"- resource_queue: q\n  selector: [{{ key: n, operator: in, values: [v{i}] }}]\n"
        for i in range(45)
    )
    text = f"resource_queues: [{{ name: q }}]\nscheduling_rules:\n{rules}"
    apply_config(owner, "native", text, "", 0)
    page = valid_page(browser.get(f"{TESTER}?key=n&value=v44&config=active"))
    assert len(stages(page, "Rules, in order")) == 30
    (more,) = page.all("a", rel="next")
    rest = valid_page(browser.get(more.attrs["href"]))
    assert stages(rest, "Rules, in order")[-1].startswith("Rule 45: q, priority 0 · Accepts it.")
    assert len(stages(rest, "Rules, in order")) == 15


def test_many_label_sets_are_a_table_and_a_file(browser: Client, world: World):
    response = browser.post(MANY, {"config": "active", "sets": "team=research\nteam=web tier=gold"})
    page = valid_page(response)
    (table,) = page.all("table")
    assert table.rows() == [
        [
            "1 : test it alone",
            "team=research",
            "research",
            "50",
            "yes",
            "yes",
            "Rule 1 routes it to research with priority 50.",
        ],
        [
            "2 : test it alone",
            "team=web tier=gold",
            "default",
            "0",
            "yes",
            "yes",
            "Rule 2 routes it to default with priority 0.",
        ],
    ]
    alone = valid_page(browser.get(table.all("a")[1].attrs["href"]))
    assert verdicts(alone) == ["Rule 2 routes it to default with priority 0."]
    written = browser.post(
        MANY, {"config": "active", "as": "csv", "sets": '[{"team": "web"}, {"a": "=1+1"}, {}]'}
    )
    assert written.headers["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(written.content.decode())))
    assert [(row["Labels"], row["Queue"], row["Can ever fit"]) for row in rows] == [
        ("team=web", "default", "yes"),
        ("a==1+1", "", "no"),
        ("", "", "no"),
    ]


def test_positions_below_a_long_name_take_bounded_memory():
    typed = read_typed(f"? {'k' * 5_000}\n: [{'a,' * 5_000}]", "")
    assert typed.value == {"k" * 5_000: ["a"] * 5_000}
    assert sum(map(len, typed._spans)) < 5_000_000
    assert typed.line_of(f"{'k' * 5_000}[4999]") == 2


def test_no_cell_of_the_file_is_a_formula(browser: Client, world: World):
    sets = '[{"labels": {"=cmd": "x"}, "namespace": "@n"}]'
    written = browser.post(MANY, {"config": "active", "as": "csv", "sets": sets})
    (row,) = csv.DictReader(io.StringIO(written.content.decode()))
    assert (row["Labels"], row["Namespace"]) == ("'=cmd=x", "'@n")


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        ("", "Paste at least one label set."),
        ("[]", "Paste at least one label set."),
        ("\n".join(["team=web"] * 101), "At most 100 label sets can be tested at once."),
        ("- 3", "A label set must be key=value text or a mapping in JSON or YAML."),
        ("- {labels: {a: b}, priority: -1}", "Set 1, priority: "),
    ],
)
def test_a_batch_that_cannot_be_read_says_why(browser: Client, world: World, sets: str, says: str):
    response = browser.post(MANY, {"config": "active", "sets": sets})
    assert response.status_code == 400
    assert says in read_page(response).id("tester-errors").text


def test_pasted_texts_are_read_as_people_write_them():
    both = {"labels": {"a": "1", "b": "x y"}}
    assert paste_one("a=1\nb=x y", "paste") == both
    assert paste_one('{"a": 1, "b": "x y"}', "paste") == both
    assert paste_one("a: true\nb:", "paste") == {"labels": {"a": "true", "b": ""}}
    assert paste_one("tags: {a: b}\nname: n\nrequests: {gpu: 8}", "paste") == {
        "labels": {"a": "b"},
        "requests": {"gpu": 8},
    }
    assert paste_one("labels: red", "paste") == {"labels": {"labels": "red"}}
    assert paste_many('{"a": "1"}\n{"a": "2"}', "sets") == [
        {"labels": {"a": "1"}},
        {"labels": {"a": "2"}},
    ]
    assert paste_many("- a: 1\n- a: 2", "sets") == paste_many("a=1\na=2", "sets")
    assert paste_many("a: 1\nb: 2", "sets") == [{"labels": {"a": "1", "b": "2"}}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tags: red\nlabels: {a: b}", "This has to be an object, not a string."),
        ("labels: {a: b}\npriorty: 5", "priorty is not known here; did you mean priority?"),
    ],
)
def test_a_pasted_workload_whose_fields_are_wrong_is_refused(text: str, says: str):
    with pytest.raises(BadRequest) as refused:
        paste_one(text, "paste")
    assert [(each.path, each.message) for each in refused.value.errors] == [("paste", says)]


def test_many_are_tested_with_their_pod_sets_which_no_address_holds(browser: Client, world: World):
    sets = (
        '{"labels": {"team": "research"}, "pod_sets": [{"count": 4, "requests": {"gpu": 3}}]}\n'
        '{"labels": {"team": "research"}, "requests": {"gpu": 3}}'
    )
    (table,) = valid_page(browser.post(MANY, {"config": "active", "sets": sets})).all("table")
    assert [[row[0], row[4]] for row in table.rows()] == [["1", "no"], ["2 : test it alone", "yes"]]
    assert [link.attrs["href"] for link in table.all("a")] == [
        f"{TESTER}?key=team&value=research&config=active&requests=gpu%3D3"
    ]


FORM = {
    "name": "research reaches its queue",
    "queue": "research",
    "effective_priority": "50",
    "key": ["team", ""],
    "value": ["research", ""],
    "requests": "gpu=8",
    "priority": "",
    "namespace": "",
}


def test_a_test_becomes_an_expectation_that_is_checked(browser: Client, world: World):
    tested = valid_page(
        browser.get(f"{TESTER}?config=active&key=team&value=research&requests=gpu%3D8")
    )
    (link,) = (a for a in tested.all("a") if a.text == "Save as an expectation…")
    form = valid_page(browser.get(link.attrs["href"]))
    assert form.id("f-queue").attrs["value"] == "research"
    assert form.id("f-effective").attrs["value"] == "50"
    assert form.id("f-requests").attrs["value"] == "gpu=8"
    response = browser.post(f"{EXPECTATIONS}/new", FORM)
    assert (response.status_code, response.headers["Location"]) == (302, EXPECTATIONS)
    page = valid_page(browser.get(EXPECTATIONS))
    assert page.id("rows-title").text == "1 of 1 met"
    assert page.all("table")[0].rows() == [
        [
            "research reaches its queue",
            "team=research",
            "Expected in research with priority 50.",
            ("Rule 1 routes it to research with priority 50. Test : research reaches its queue"),
        ]
    ]


def test_a_broken_expectation_comes_first_on_any_config(
    browser: Client, world: World, owner: Actor
):
    browser.post(f"{EXPECTATIONS}/new", FORM)
    strangers = {"name": "strangers", "queue": "", "effective_priority": ""}
    browser.post(f"{EXPECTATIONS}/new", {**FORM, **strangers, "key": "", "value": ""})
    text = CONFIG.replace("default: 50", "default: 60")
    draft = Draft.objects.create(org=owner.org, author=owner.user, dialect="native", text=text)
    page = valid_page(browser.get(f"{EXPECTATIONS}?config=draft-{draft.pk}"))
    assert page.id("rows-title").text == "1 of 2 not met"
    assert [row[0] for row in page.all("table")[0].rows()] == [
        "research reaches its queue",
        "strangers",
    ]
    assert page.all("table")[0].rows()[1][2] == "Expected to reach no queue."


def test_an_expectation_is_changed_renamed_and_deleted(browser: Client, world: World):
    browser.post(f"{EXPECTATIONS}/new", FORM)
    row = Expectation.objects.get()
    one = f"{EXPECTATIONS}/{row.pk}"
    assert valid_page(browser.get(one)).id("f-name").attrs["value"] == row.name
    changed = {**FORM, "name": "another name", "queue": "default", "effective_priority": ""}
    assert browser.post(one, changed).status_code == 302
    row = Expectation.objects.get()
    assert (row.pk, row.name, row.queue, row.effective_priority, row.requests) == (
        int(one.rsplit("/", 1)[1]),
        "another name",
        "default",
        None,
        {"gpu": 8000},
    )
    assert browser.post(one, {"do": "delete"}).status_code == 302
    assert not Expectation.objects.exists()
    assert browser.post(one, changed).status_code == 404


def test_changes_of_expectations_are_among_the_events(browser: Client, world: World):
    browser.post(f"{EXPECTATIONS}/new", FORM)
    row = Expectation.objects.get()
    browser.post(f"{EXPECTATIONS}/{row.pk}", {**FORM, "queue": "default", "priority": "7"})
    browser.post(f"{EXPECTATIONS}/{row.pk}", {"do": "delete"})
    found = []
    for kind in ("EXPECTATION_SAVED", "EXPECTATION_DELETED"):
        page = read_page(browser.get("/o/here/events", {"type": kind}))
        assert complaints(page) == []
        rows = page.id("event-rows").all("tr")
        for each in rows:
            assert EXPECTATIONS in [link.attrs["href"] for link in each.all("a")]
            found.append(each.all("th")[0].text.partition(" Facts of ")[0])
    name = "Expectation research reaches its queue"
    assert found == [
        (
            f"{name} was changed: its workload is expected in default with priority 50 (before: "
            "expected in research with priority 50); its workload has another requested priority."
        ),
        f"{name} was added: its workload is expected in research with priority 50.",
        f"{name} was deleted: its workload was expected in default with priority 50.",
    ]


def test_an_expectation_that_cannot_be_saved_keeps_what_was_typed(browser: Client, world: World):
    browser.post(f"{EXPECTATIONS}/new", FORM)
    again = browser.post(f"{EXPECTATIONS}/new", {**FORM, "queue": "default"})
    assert again.status_code == 422
    page = read_page(again)
    assert complaints(page) == []
    assert "Another expectation is called research reaches its queue" in (
        page.id("tester-errors").text
    )
    assert page.id("f-queue").attrs["value"] == "default"
    wrong = {**FORM, "name": " ", "queue": "", "priority": "x"}
    page = read_page(browser.post(f"{EXPECTATIONS}/new", wrong))
    assert [item.text.partition(" ")[0] for item in page.id("tester-errors").all("li")] == [
        "priority",
        "name",
        "effective_priority",
    ]
    assert Expectation.objects.get().queue == "research"


def test_expectations_are_handed_to_a_pipeline_as_a_file(browser: Client, world: World):
    browser.post(f"{EXPECTATIONS}/new", {**FORM, "key": ["team", "yes"], "value": ["8", "no"]})
    response = browser.get(f"{EXPECTATIONS}?as=yaml")
    assert response.headers["Content-Type"] == "application/yaml; charset=utf-8"
    (read,) = read_expectation_file(response.content).expectations
    assert (read.name, dict(read.workload.labels), read.queue, read.priority) == (
        FORM["name"],
        {"team": "8", "yes": "no"},
        "research",
        50,
    )
    assert read.workload.total() == {"gpu": 8000}
    for config in ("99", "strange"):
        assert browser.get(f"{EXPECTATIONS}?as=yaml&config={config}").content == response.content


@pytest.mark.parametrize("pods", ["gone", "no id", "\0"])
def test_pod_sets_of_a_workload_that_is_not_there(browser: Client, world: World, pods: str):
    found = []
    for query in ({"pods": pods}, {"pods": pods, "key": ""}, {"pods": pods, "paste": "a=b"}):
        response = browser.get(TESTER, query, follow=True)
        assert complaints(read_page(response)) == []
        found.append(response.status_code)
    assert found == [200, 400, 400]


def test_roles_without_drafts_only_read(
    world: World, viewer: Actor, browser: Client, client_for: Callable[[Actor], Client]
):
    browser.post(f"{EXPECTATIONS}/new", FORM)
    row = Expectation.objects.get()
    reader = client_for(viewer)
    page = valid_page(reader.get(EXPECTATIONS))
    assert not [a for a in page.all("a") if a.text in ("New expectation", row.name)]
    assert reader.post(f"{EXPECTATIONS}/new", FORM).status_code == 403
    assert reader.post(f"{EXPECTATIONS}/{row.pk}", {"do": "delete"}).status_code == 403
    assert Workload.objects.exists()
    assert Expectation.objects.count() == 1
