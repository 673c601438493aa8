"""Injection: user input stays text in pages, files, copied Markdown and generated YAML."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, urldefrag, urljoin, urlsplit

import pytest
import yaml
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from console.capacity.services.report_cluster import report_cluster
from console.configs.read_expectations import read_expectations
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.find_impact import find_impact
from console.configs.services.save_expectations import save_expectations
from console.engine.model import workload as engine
from console.engine.routing.expectations import ExpectedRoute
from console.orgs.identities import Identity
from console.orgs.models import Membership, Role
from console.orgs.permissions import Actor
from console.orgs.services.issue_token import create_token
from console.orgs.services.set_identity import set_identity
from console.pages.presenters.configs.expectations import as_file
from console.reading import Reader
from console.webhooks.models import Attempt, Delivery, Webhook
from console.workloads import models
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.save_view import save_view
from tests.conftest import settled
from tests.module_fixtures import module_org
from tests.pages.conftest import submit_one
from tests.pages.page import complaints, read_page

#: HTML, formulas, Markdown, YAML and terminal sequences in at most a hundred characters.
BAD = (
    "=1\"'><script>alert(7)</script><b onclick=alert(7)>[a](//e.example)\n# h\n- x: !!y\x1b[31m"
    "\u202e@all"
)
#: The same and longer payloads: formulas after quotes, an address, mathematics.
MORE = f'{BAD};"=1+1\t"=1+1 WWW.e.example $x^2$'
#: The same as a name of a queue, flavor or group, which has a single line.
NAME = "=1\"'><script>alert(7)</script>@all"
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: What unescaped Markdown would turn it into.
LIVE = re.compile(r"(?<!\\)[<>@$^]|(?<!\\)!\[|^# |^- x|(?<!\\)\]\(//e|(?i:www\.)", re.MULTILINE)
#: Characters that end a line, control a terminal or change the text direction.
UNPRINTABLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

#: Attributes with URLs.
URL_ATTRIBUTES = ("href", "src", "action", "formaction", "hx-get", "hx-post")

ROOT = Path(__file__).resolve().parents[2]

CONFIG = {
    "resource_flavors": [
        {"name": NAME, "selector": [{"key": NAME, "operator": "in", "values": [NAME]}]}
    ],
    "resource_queues": [
        {
            "name": NAME,
            "cohort_name": NAME,
            "preemption": {"within_resource_queue": "lower_priority"},
            "resource_groups": [
                {
                    "covered_resources": ["gpu"],
                    "flavors": [{"name": NAME, "resources": [{"name": "gpu", "nominal_quota": 8}]}],
                }
            ],
        }
    ],
    "scheduling_rules": [
        {
            "selector": [{"key": NAME, "operator": "exists"}],
            "resource_queue": NAME,
            "priority_policy": {"default": 5, "min": 0, "max": 9, "on_violation": "reject"},
        }
    ],
}


@dataclass(frozen=True)
class HostileObjects:
    """The start addresses of the crawl and the objects with hostile names."""

    workload: models.Workload
    running: models.Workload
    addresses: tuple[str, ...]


org, owner = module_org()


@pytest.fixture(scope="module")
def made(owner: Actor) -> HostileObjects:
    """Fill an organization with one object of each kind, with hostile names and descriptions."""
    apply_config(owner, "native", json.dumps(CONFIG), BAD, 0)
    settled(owner.org)
    mine = Membership.objects.get(org=owner.org, user=owner.user).pk
    set_identity(owner, mine, Identity(NAME, (NAME,)))
    issued = create_token(owner, Role.OWNER, BAD, None, Identity(NAME, (NAME,)))
    token = Actor.from_token(issued.token)
    facts = {"user": MORE, "project": MORE, "groups": [NAME]}

    def submitted(gpu: int, priority: int, tags: dict[str, str]) -> models.Workload:
        asked = {**facts, "tags": tags, "requests": {"gpu": gpu}, "priority": priority}
        return submit_one(token, MORE, team=None, **asked)

    running = submitted(6, 1, {NAME: NAME, BAD: BAD})
    submitted(4, 5, {NAME: NAME, BAD: BAD})
    waiting = submitted(8, 0, {NAME: NAME, BAD: BAD})
    submitted(1, 5, {NAME: BAD})
    submitted(1, 5, {BAD: BAD})
    hold_queue(token, NAME, BAD)
    settled(owner.org)
    save_view(token, BAD, "state=pending", ("queue", "label.<b>=1"), is_shared=True)
    tested = engine.Workload(id="tested", sequence=0, labels={BAD: BAD})
    save_expectations(
        token,
        [
            ExpectedRoute(name=BAD, workload=tested, queue=NAME),
            ExpectedRoute(name=NAME, workload=tested, queue=None),
        ],
    )
    changed = {**CONFIG, "resource_flavors": [{"name": NAME, "selector": []}]}
    apply_config(token, "native", json.dumps(changed), BAD, 1)
    impact = find_impact(owner, "native", json.dumps(CONFIG)).pk
    draft = begin_draft(owner, "native", json.dumps(CONFIG), 2, BAD).pk
    hook = Webhook.objects.create(org=owner.org, name=BAD, url="https://hooks.example/?<script>")
    told = Delivery.objects.create(
        webhook=hook, uid="told", kind="test", summary=BAD, body=json.dumps({"a": BAD})
    )
    Attempt.objects.create(
        delivery=told,
        number=1,
        url=hook.url,
        status=500,
        failure="refused",
        detail=BAD,
        response=BAD,
        response_headers=[[BAD, BAD]],
        request_headers=[["a", BAD]],
    )
    labels = {NAME: BAD, BAD: MORE[:200]}
    taint = {"key": NAME, "value": BAD, "effect": "NoSchedule"}
    node = {"name": "n", "labels": labels, "taints": [taint], "allocatable": {NAME: 1}}
    report_cluster(token, "east", {"manager": NAME[:40], "labels": labels, "nodes": [node]})
    settled(owner.org)
    return HostileObjects(
        workload=waiting,
        running=running,
        addresses=(
            f"config/impact/{impact}",
            f"config/drafts/{draft}",
            f"settings/webhooks/{hook.pk}",
            f"settings/webhooks/{hook.pk}/deliveries/told",
            f"search?q={quote(NAME)}",
            f"workloads?q={quote(BAD)}",
            f"workloads?user={quote(BAD)}&label.{quote(NAME)}=%3Cb%3E",
            f"workloads/{waiting.uid}",
            f"workloads/{waiting.uid}/compare?with={running.uid}",
            f"queues/{quote(NAME, safe='')}?hold=1",
            f"capacity/east?label.{quote(NAME)}={quote(BAD)}",
            "tools/route",
            "tools/placements",
            "tools/expectations",
            "events/audit",
            "settings/members",
            f"settings/members/{mine}",
            "settings/tokens",
            f"settings/tokens/{issued.token.pk}",
            "workloads/new",
            "config/compare/1...2",
            "config/v/2?blame=1",
        ),
    )


@pytest.fixture
def browser(made: HostileObjects, owner: Actor, client_for, db: None) -> Client:
    """Return a browser of the owner."""
    cache.clear()
    return client_for(owner)


def crawled(browser: Client, first: tuple[str, ...]) -> Iterator[tuple[str, HttpResponse]]:
    """Yield every kind of reachable page, one for each path pattern and set of parameters."""
    waiting = ["/o/here/", *(f"/o/here/{path}" for path in first)]
    seen: set[tuple[str, ...]] = set()
    while waiting:
        address = waiting.pop(0)
        parts = urlsplit(address)
        if not parts.path.startswith("/o/here"):
            continue
        names = {f"{key}={value}" if key == "tab" else key for key, value in parse_qsl(parts.query)}
        kind = (resolve(parts.path).url_name or "", *sorted(names))
        if kind in seen:
            continue
        seen.add(kind)
        response = browser.get(address)
        yield address, response
        if response.headers["Content-Type"].startswith("text/html"):
            links = [link.attrs.get("href", "") for link in read_page(response).all("a")]
            waiting += [urldefrag(urljoin(address, link)).url for link in links]


def is_external(address: str) -> bool:
    """Return whether *address* is external or a script."""
    parts = urlsplit(urljoin("http://testserver/o/here/", address))
    return (parts.scheme, parts.netloc) != ("http", "testserver")


def test_no_page_interprets_user_input(browser: Client, made: HostileObjects) -> None:
    """No page turns user input into an element, an attribute or a script."""
    showing = 0
    kinds = set()
    for address, response in crawled(browser, made.addresses):
        assert response.status_code < 500, address
        if not response.headers["Content-Type"].startswith("text/html"):
            continue
        kinds.add(resolve(urlsplit(address).path).url_name)
        text = response.content.decode()
        page = read_page(response)
        # Some addresses answer with a fragment of a page.
        if page.all("html"):
            assert complaints(page) == [], address
        assert "<script>alert" not in text, address
        handlers = [each for each in page.walk() if any(key.startswith("on") for key in each.attrs)]
        assert handlers == [], address
        links = [each.attrs.get("href", "") for each in page.walk()]
        assert [link for link in links if "e.example" in link.partition("?")[0]] == [], address
        targets = [
            each.attrs[key] for each in page.walk() for key in URL_ATTRIBUTES if key in each.attrs
        ]
        assert [to for to in targets if is_external(to)] == [], address
        showing += "&lt;script&gt;alert" in text
    assert showing >= 30
    assert len(kinds) >= 35, kinds


@pytest.mark.parametrize(
    "kind", ["members", "member", "api-token", "workload-new"], ids=lambda kind: f"page {kind}"
)
def test_pages_show_users_and_groups_as_text(
    browser: Client, made: HostileObjects, kind: str
) -> None:
    (path,) = (
        each
        for each in made.addresses
        if resolve(urlsplit(f"/o/here/{each}").path).url_name == kind
    )
    assert NAME in read_page(browser.get(f"/o/here/{path}")).id("main").text


LISTS = ("workloads", "events", "events/audit")
_COHORT = f"cohorts/{quote(NAME, safe='')}"
#: Tables without user-defined names in this organization.
_NAMELESS = ("usage", f"{_COHORT}?of=loans")
#: Consumers of resource-hours, on the page of usage.
_CONSUMERS = f"usage?by=label&label={quote(NAME)}"
TABLES = (
    *(*LISTS, *_NAMELESS, "queues", "cohorts", _COHORT, "tools/route/many"),
    *("capacity", "capacity/east", _CONSUMERS),
)


def table(path: str, browser: Client) -> str:
    """Return a list as CSV."""
    address = f"/o/here/{path}"
    if path == "tools/route/many":
        sets = json.dumps([{"labels": {NAME: BAD}, "namespace": BAD}])
        return browser.post(address, {"sets": sets, "as": "csv"}).content.decode()
    response = browser.get(f"{address}{'&' if '?' in path else '?'}as=csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return b"".join(response.streaming_content).decode()


def test_every_csv_list_is_covered() -> None:
    """Every view that writes CSV has an address in the list above."""
    views = ROOT / "console/pages/views"
    writing = {
        path.stem
        for path in views.glob("*.py")
        if re.search(r"export_response\(|_csv\(", path.read_text())
    }
    paths = (urlsplit(f"/o/here/{path}").path for path in TABLES)
    found = {resolve(path).func.__module__.rpartition(".")[2] for path in paths}
    # It answers at the address of the usage page.
    assert found | {"consumers"} == writing


@pytest.mark.parametrize("path", TABLES)
def test_no_cell_of_a_table_is_a_formula(path: str, browser: Client) -> None:
    """Not even within a cell, if a program splits the file at other characters than commas."""
    text = table(path, browser)
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    parts = [part for cell in cells for part in (cell, *re.split("[;\t\r\n] *", cell)[1:])]
    # The file as read by programs that split cells at these characters.
    for sign in ";\t":
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        parts += [cell for row in rows for cell in row]
    formulas = [part for part in parts if part.startswith(FORMULAS) and not is_number(part)]
    assert formulas == []
    assert path in _NAMELESS or [cell for cell in cells if "<script>" in cell] != []


@pytest.mark.parametrize("path", LISTS)
def test_every_line_of_a_file_is_one_value(path: str, browser: Client) -> None:
    text = b"".join(browser.get(f"/o/here/{path}?as=ndjson").streaming_content).decode()
    assert text.endswith("\n")
    assert all(isinstance(json.loads(line), dict) for line in text[:-1].split("\n"))
    assert "alert(7)" in text


def test_copies_for_tickets_are_plain_text(browser: Client, made: HostileObjects) -> None:
    """User input makes no link, image, heading, mention, HTML or control character."""
    own = f"/o/here/workloads/{made.workload.uid}"
    told = made.running.decisions.get(outcome="preempted").pk
    stop = f"/o/here/workloads/{made.running.uid}/preemptions/{told}"
    for address in (
        f"{own}?as=markdown",
        f"{own}/compare?with={made.running.uid}&as=markdown",
        f"{stop}?as=markdown",
    ):
        response = browser.get(address)
        assert response.headers["Content-Type"] == "text/markdown; charset=utf-8", address
        text = response.content.decode()
        assert "alert(7)" in text, address
        assert UNPRINTABLE.search(text) is None, address
        assert LIVE.findall(text) == [], address


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
WORDS = [
    "yes",
    "null",
    "0x10",
    "1e3",
    "~",
    "---",
    "...",
    "&",
    "%TAG",
    "'",
    '"',
    "!!python/name:a",
    "&a",
    "*a",
]
STRANGE = ["", " ", "- a", "# b", "a: b", "a\nb", "a\r\nb", "\x85", "\u2028", "\ufeff", "\x1b[31m"]
awkward = st.sampled_from([*WORDS, *STRANGE, BAD])
words = awkward | texts


@given(
    name=words.filter(str.strip),
    labels=st.dictionaries(words.filter(str.strip), words, max_size=3),
    queue=st.none() | words.filter(str.strip),
    namespace=words,
)
def test_generated_yaml_reads_as_it_was_meant(
    name: str, labels: dict[str, str], queue: str | None, namespace: str
) -> None:
    """A file of expectations contains exactly the stored values, however strange."""
    tested = engine.Workload(
        id="tested",
        sequence=0,
        labels=labels,
        namespace=namespace,
        pod_sets=(engine.PodSet(requests={}),),
    )
    expected = ExpectedRoute(name=name, workload=tested, queue=queue)
    text = as_file([expected])
    reader = Reader()
    read = read_expectations(reader, yaml.safe_load(text)["expectations"], "expectations")
    reader.finish()
    assert read == [expected]
    assert UNPRINTABLE.search(text) is None
