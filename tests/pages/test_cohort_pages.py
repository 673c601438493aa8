"""Cohort pages: pools, loans, reclaim rules and queues that are short of their own quota."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Preemption,
    PreemptionRule,
    QueueSpec,
    QuotaSettings,
    quota_policy,
    with_spec,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import Policy
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.pages.presenters.quota.lending import rules_rows
from console.workloads.queries.cohorts import cohort_view
from tests.cohorts import LAB, activate_policy, fill, quotas, use, wait
from tests.pages.page import Element, complaints, read_page


@pytest.fixture
def lab(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    """Activate the lab config."""
    fill(org, monkeypatch)


def get(browser: Client, path: str) -> Element:
    """Return a page of the organization, and fail unless its markup is valid."""
    page = read_page(browser.get(f"/o/here/{path}"))
    assert complaints(page) == []
    return page


def visible_rows(page: Element) -> list[list[str]]:
    """Return the visible rows of the matrix, without the labels for screen readers."""
    rows = page.id("matrix-region").rows()
    return [[re.sub(r"^.*, \S+ gpu: ", "", text) for text in row] for row in rows]


def drawing_texts(page: Element) -> list[str]:
    """Return the text alternatives of the drawings."""
    return [svg.attrs["aria-label"] for svg in page.all("svg") if "aria-label" in svg.attrs]


def notices(page: Element) -> list[str]:
    """Return the notices of a cohort's page."""
    return [
        child.text
        for child in page.id("cohort-notices").children
        if isinstance(child, Element) and child.text
    ]


def test_the_list_of_cohorts(lab: None, browser: Client) -> None:
    page = get(browser, "cohorts")
    assert page.rows() == [
        [
            "all a queue waits for quota that it lent",
            "spot · 16 of 19 GPUs used · 3 free · 21 requested 1 more",
            "195 %",
            "3",
            "1",
            "4",
            "8",
        ],
        [
            "ml in all a queue waits for quota that it lent",
            "spot · 16 of 13 GPUs used · 3 borrowed, limit 19 · 3 available · 21 requested 1 more",
            "195 %",
            "2",
            "1",
            "4",
            "8",
        ],
    ]
    assert [span.attrs["data-depth"] for span in page.all("span", class_="tree")] == ["0", "1"]
    (rail,) = page.all("a", **{"aria-current": "page"})
    assert (rail.text, rail.attrs["href"]) == ("Cohorts", "/o/here/cohorts")


@pytest.mark.parametrize(("role", "action"), [("owner", "Edit the config"), ("viewer", None)])
def test_without_cohorts_the_page_says_what_one_is(
    role: str,
    action: str | None,
    owner: Actor,
    viewer: Actor,
    client_for: Callable[[Actor], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = client_for({"owner": owner, "viewer": viewer}[role])
    assert get(browser, "cohorts").id("main").all("h2")[0].text == "No config yet"
    activate_policy(owner.org, quota_policy("native"), monkeypatch)
    region = get(browser, "cohorts").id("cohorts-region")
    assert region.all("h2")[0].text == "No cohorts in the active config"
    assert "share unused quota" in region.text
    assert [link.text for link in region.all("a")] == ([action] if action else [])


def test_a_cohort_shows_pools_queues_loans_rules_and_reasons(lab: None, browser: Client) -> None:
    page = get(browser, "cohorts/all")
    assert page.id("pools").rows() == [
        ["spot", "gpu", "16 of 19 GPUs used · 3 free · 21 requested", "2", "17", "16", "3", "21"],
        ["reserved", "gpu", "0 of 2 GPUs used · 2 free", "0", "2", "0", "2", "—"],
    ]
    assert visible_rows(page) == [
        ["archive", "lends up to 1 GPU", "0 of 4 up to 1 lent", "—"],
        [
            "ml cohort in all 8 pending",
            "borrows 3 GPUs",
            "16 of 13 pooled 3 borrowed",
            "0 of 2 pooled",
        ],
        ["research 1 pending", "borrows 7 GPUs", "15 of 8 7 borrowed", "0 of 2"],
        ["batch 7 pending", "lends 4 GPUs", "2 of 6 4 lent", "—"],
    ]
    assert [head.text for head in page.id("matrix-region").all("thead")[0].all("th")] == [
        "Queue",
        "Net",
        "spot gpu",
        "reserved gpu",
    ]
    cells = page.id("matrix-region").all("a", class_="matrix__cell")
    spot, reserved = (f"#quota-{f'{flavor}/gpu'.encode().hex()}" for flavor in ("spot", "reserved"))
    # The accessible name of a cell contains its visible text.
    assert [(cell.text, cell.attrs["href"]) for cell in cells] == [
        ("archive, spot gpu: 0 of 4 up to 1 lent", f"/o/here/queues/archive{spot}"),
        ("ml, spot gpu: 16 of 13 pooled 3 borrowed", f"/o/here/cohorts/ml{spot}"),
        ("ml, reserved gpu: 0 of 2 pooled", f"/o/here/cohorts/ml{reserved}"),
        ("research, spot gpu: 15 of 8 7 borrowed", f"/o/here/queues/research{spot}"),
        ("research, reserved gpu: 0 of 2", f"/o/here/queues/research{reserved}"),
        ("batch, spot gpu: 2 of 6 4 lent", f"/o/here/queues/batch{spot}"),
    ]
    assert page.id("loans-region").rows() == [
        ["research", "batch", "GPU on spot", "4", "?", "Never: waits until borrowers end"],
        [
            "research",
            "all quota of the cohort",
            "GPU on spot",
            "up to 2",
            "?",
            (
                "The borrower can lose all of it to queues of cohort all that reclaim, up to "
                "the quota of that cohort"
            ),
        ],
        ["research", "archive", "GPU on spot", "up to 1", "?", "From workloads of any priority"],
    ]
    assert page.id("rules-region").rows() == [
        [
            "archive",
            "From workloads of any priority",
            "Never",
            "All unused quota",
            "Up to 3 GPUs on spot",
        ],
        [
            "research",
            "From workloads of lower priority",
            "Workloads of lower priority, up to priority 50, of queues that borrow",
            "All unused quota",
            "All lendable quota",
        ],
        [
            "batch",
            (
                "Never: waits until borrowers end Lends and never reclaims: archive and research "
                "may keep its quota"
            ),
            "Never",
            "Up to 5 GPUs on spot",
            "All lendable quota",
        ],
    ]
    assert page.id("waiting").rows() == [
        ["Behind other workloads", "5", "5 batch"],
        ["Waiting for quota", "3", "2 batch 1 research"],
    ]
    assert [link.attrs["href"] for link in page.id("waiting").all("a")] == [
        "/o/here/workloads?state=pending&queue=batch&reason=behind_others",
        "/o/here/workloads?state=pending&queue=batch&reason=waiting_for_quota",
        "/o/here/workloads?state=pending&queue=research&reason=waiting_for_quota",
    ]


def test_with_fair_sharing_the_matrix_has_shares(
    lab: None, org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    unweighted = {"research": replace(LAB.queues["research"], fair_weight=0)}
    fair = QuotaSettings(fair_sharing=(FairStrategy.FINAL_SHARE,))
    activate_policy(org, with_spec(LAB, queues=LAB.queues | unweighted, settings=fair), monkeypatch)
    page = get(browser, "cohorts/all")
    assert page.id("matrix-region").all("thead")[0].all("th")[-1].text == "Weighted share"
    assert [(row[0], row[-1]) for row in visible_rows(page)] == [
        ("archive", "0"),
        ("ml cohort in all 8 pending", "143 of gpu"),
        ("research 1 pending", "highest: borrows gpu with weight 0"),
        ("batch 7 pending", "0"),
    ]


def test_a_starved_queue_is_highlighted(lab: None, browser: Client) -> None:
    assert notices(get(browser, "cohorts/ml")) == [
        (
            "batch waits for 12 GPUs on spot and has 4 of its nominal quota unused. In use by "
            "research (4). It never reclaims quota, so it waits until those workloads end."
        )
    ]


def test_the_overview_names_starved_queues(lab: None, browser: Client) -> None:
    (item,) = get(browser, "").id("attention").all("li")
    (way,) = item.all("a")
    assert way.attrs["href"] == "/o/here/cohorts/ml"
    assert way.text == "View loans : Queue batch waits for its quota, which other queues use"


@pytest.mark.parametrize(
    ("queues", "notice"),
    [
        ([], "No queue is in this cohort , so no workload can use its quota."),
        (["one"], "Only one queue is in this cohort , so there is no queue to share quota with."),
    ],
)
def test_a_cohort_of_none_or_one_says_so(
    queues: list[str],
    notice: str,
    org: Organization,
    browser: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = quota_policy(
        "native",
        cohorts={"few": Cohort(name="few")},
        queues={n: QueueSpec(name=n, parent="few", groups=quotas(("f", 1000))) for n in queues},
    )
    activate_policy(org, policy, monkeypatch)
    assert notices(get(browser, "cohorts/few")) == [notice]


def test_a_nested_cohort_leads_up_and_down(lab: None, browser: Client) -> None:
    page = get(browser, "cohorts/ml")
    (crumbs,) = page.all("p", class_="crumbs")
    assert [(link.text, link.attrs["href"]) for link in crumbs.all("a")] == [
        ("Cohorts", "/o/here/cohorts"),
        ("all", "/o/here/cohorts/all"),
    ]
    names = get(browser, "cohorts/all").id("matrix-rows").all("th")
    assert [name.all("a")[0].attrs["href"] for name in names] == [
        "/o/here/queues/archive",
        "/o/here/cohorts/ml",
        "/o/here/queues/research",
        "/o/here/queues/batch",
    ]


def test_drawings_of_one_resource_have_one_scale(lab: None, browser: Client) -> None:
    region = get(browser, "cohorts/all").id("matrix-region")
    widths = {}
    for cell in region.all("a", class_="matrix__cell"):
        own = cell.all("rect", class_="quota__own")
        marks = cell.all("line", class_="quota__mark")
        if marks:
            widths[" ".join(cell.text.split()[:6])] = (
                own[0].attrs["width"] if own else "",
                marks[0].attrs["x1"],
            )
    # The full width represents the 15 that research uses.
    assert widths == {
        "archive, spot gpu: 0 of 4": ("", "26.6%"),
        "research, spot gpu: 15 of 8": ("53.3%", "53.3%"),
        "research, reserved gpu: 0 of 2": ("", "13.3%"),
        "batch, spot gpu: 2 of 6": ("13.3%", "40%"),
    }
    direct = get(browser, "cohorts/all?level=direct").id("matrix-region")
    # Next to the 16 that its cohort uses of its pool.
    assert [
        (cell.text.partition(":")[0], [m.attrs["x1"] for m in cell.all("line")])
        for cell in direct.all("a", class_="matrix__cell")
    ] == [
        ("archive, spot gpu", ["25%"]),
        ("ml, spot gpu", ["81.2%", "81.2%"]),
        ("ml, reserved gpu", ["12.5%"]),
    ]


def test_a_queue_in_a_cohort_shows_what_it_borrows_and_lends(lab: None, browser: Client) -> None:
    page = get(browser, "queues/research")
    assert page.id("usage").rows() == [
        [
            "spot",
            "gpu",
            "15 of 8 GPUs used · 7 borrowed, limit 19 · 3 available · 4 requested",
            *("8", "15", "7 borrowed", "3", "4"),
        ],
        ["reserved", "gpu", "0 of 2 GPUs used · 2 free", "2", "0", "—", "2", "—"],
    ]
    assert [row[:4] for row in page.id("lending-region").rows()] == [
        ["research", "batch", "GPU on spot", "4"],
        ["research", "all quota of the cohort", "GPU on spot", "up to 2"],
        ["research", "archive", "GPU on spot", "up to 1"],
    ]
    assert (
        page.all("a", class_="chip")[1].text,
        page.all("a", class_="chip")[1].attrs["href"],
    ) == (
        "cohort ml",
        "/o/here/cohorts/ml",
    )
    lends = get(browser, "queues/archive")
    assert lends.id("usage").rows() == [
        [
            "spot",
            "gpu",
            "0 of 4 GPUs used · up to 1 lent, limit 7 · 3 available",
            *("4", "0", "up to 1 lent", "3", "—"),
        ]
    ]
    alone = get(browser, "queues/alone")
    assert alone.id("usage").rows() == [
        ["spot", "gpu", "3 of 2 GPUs used · 1 over nominal", "2", "3", "0", "—"]
    ]
    assert not [section for section in alone.all("section") if section.attrs.get("id") == "lending"]


def test_a_queue_names_the_local_queues_that_lead_to_it(
    owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    text = dialects()["kueue"].samples()["Two teams share one cohort"]
    held = text.replace(
        "spec:\n  clusterQueue: speech", "spec:\n  clusterQueue: speech\n  stopPolicy: Hold"
    ).replace(
        "  namespaceSelector:\n    matchLabels: { team: speech }",
        "  queueingStrategy: StrictFIFO\n  stopPolicy: HoldAndDrain\n"
        "  namespaceSelector:\n    matchLabels: { team: speech }",
    )
    apply_config(owner, "kueue", held, "", 0)
    settle(owner.org)
    found = []
    for name in ("vision", "speech"):
        page = get(browser, f"queues/{name}?tab=rules")
        (panel,) = page.all("section", **{"aria-labelledby": "rules-title"})
        ((local, *_),) = panel.rows()
        found.append((page.id("queue-state").text, panel.all("h2")[0].text, local))
    leads = "Local queues that route here"
    assert found == [
        ("Accepting", leads, "training in namespace vision"),
        (
            "Stopped and drained by its config",
            leads,
            "training in namespace speech · stopped by its config",
        ),
    ]


def test_the_list_of_queues_leads_to_cohorts(lab: None, browser: Client) -> None:
    rows = get(browser, "queues?sort=name").all("tbody")[0].all("tr")
    links = [[link.attrs["href"] for link in row.all("a")] for row in rows]
    assert [[url for url in urls if "/cohorts/" in url] for urls in links] == [
        [],
        ["/o/here/cohorts/all"],
        ["/o/here/cohorts/ml"],
        ["/o/here/cohorts/ml"],
    ]


def crowd(queues: int = 100, flavors: int = 10) -> Policy:
    """Return a cohort of *queues* queues with *flavors* flavors each."""
    owned = [(f"f{number}", 10000) for number in range(flavors)]
    return quota_policy(
        "native",
        cohorts={"wide": Cohort(name="wide")},
        queues={
            f"q{number}": QueueSpec(name=f"q{number}", parent="wide", groups=quotas(*owned))
            for number in range(queues)
        },
    )


def test_a_large_cohort_comes_in_parts(
    org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    activate_policy(org, crowd(), monkeypatch)
    for number in range(100):
        use(org, f"q{number}", "f9", 20000 if number % 2 else 0)
    page = get(browser, "cohorts/wide")
    rows = visible_rows(page)
    assert (len(rows), len(rows[0])) == (20, 1 + 6 + 1)
    assert len(page.id("loans-region").rows()) == 6
    assert len(page.id("rules-region").rows()) == 20
    # The rules of a few queues are shown at once, those of many are folded.
    assert "open" not in page.id("rules-fold").attrs
    named, path = [], "cohorts/wide"
    while path:
        page = get(browser, path)
        named += [row[0] for row in visible_rows(page)]
        (pager,) = page.id("matrix-region").all("nav", **{"aria-label": "Pages of the queues"})
        following = [link.attrs["href"] for link in pager.all("a", rel="next")]
        path = following[0].removeprefix("/o/here/") if following else ""
    assert named == [f"q{number}" for number in range(100)]
    last = get(browser, "cohorts/wide?columns=6&members=60")
    columns = last.id("matrix-region")
    assert [head.text for head in columns.all("thead")[0].all("th")] == [
        "Queue",
        "Net",
        "f6 gpu",
        "f7 gpu",
        "f8 gpu",
        "f9 gpu",
    ]
    assert visible_rows(last)[1][5] == "20 of 10 10 borrowed"


def test_equal_loans_are_grouped_in_one_row(
    org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    activate_policy(org, crowd(), monkeypatch)
    use(org, "q0", "f9", 12_000)
    use(org, "q3", "f9", 500_000)
    never = "Never: waits until borrowers end"
    many = "q2 6 , q4 5 , q5 5 , q6 5 , q7 5 , q8 5 and 92 more"
    assert get(browser, "cohorts/wide").id("loans-region").rows() == [
        ["q3", many, "GPU on f9", "up to 490", "?", never],
        ["q0", "q1", "GPU on f9", "up to 2", "?", never],
    ]
    assert get(browser, "queues/q1").id("lending-region").rows() == [
        ["q0 2 , q3 4", "q1", "GPU on f9", "up to 6", "?", never]
    ]


@pytest.mark.parametrize("query", ["members=x", "columns=-1", "loans=1.2", "members=9" + "9" * 30])
def test_a_cursor_that_no_list_gave_out_is_refused(lab: None, browser: Client, query: str) -> None:
    assert browser.get(f"/o/here/cohorts/all?{query}").status_code == 400


@pytest.mark.parametrize(
    ("path", "most"),
    [("", 60), ("cohorts", 25), ("cohorts/wide", 25), ("queues", 25), ("queues/q1", 25)],
)
def test_queries_do_not_grow_with_queues(
    path: str, most: int, org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    # Both configs have queues that borrow while others wait, which a page has to inspect.
    for size in (24, 60):
        activate_policy(org, crowd(size), monkeypatch)
        for number in range(size // 2, size):
            use(org, f"q{number}", "f0", 1000 * number)
            wait(org, f"q{number}", "waiting_for_quota", 2, 5000, {"f0/gpu": 1000})
        browser.get(f"/o/here/{path}")
        with CaptureQueriesContext(connection) as captured:
            assert browser.get(f"/o/here/{path}").status_code == 200
        found.append(len(captured))
    assert found[0] == found[1]
    assert found[0] <= most


@pytest.mark.parametrize("path", ["cohorts", "cohorts/ml"])
def test_a_page_that_shows_the_present_is_not_sent_again(
    path: str, lab: None, browser: Client
) -> None:
    version = get(browser, path).id("live-poll").attrs["data-version"]
    assert browser.get(f"/o/here/{path}?v={version}").status_code == 204
    assert browser.get(f"/o/here/{path}?v=old").status_code == 200


@pytest.mark.parametrize("path", ["cohorts", "cohorts/ml"])
def test_only_members_may_read_pages_of_cohorts(
    path: str,
    lab: None,
    owner: Actor,
    editor: Actor,
    operator: Actor,
    submitter: Actor,
    viewer: Actor,
    outsider: User,
    client_for: Callable[[Actor], Client],
) -> None:
    found = {
        actor.role: client_for(actor).get(f"/o/here/{path}").status_code
        for actor in (owner, editor, operator, submitter, viewer)
    }
    assert found == dict.fromkeys(Role.values, 200)
    stranger = Client()
    assert stranger.get(f"/o/here/{path}").status_code == 302
    stranger.force_login(outsider)
    assert stranger.get(f"/o/here/{path}").status_code == 404


@pytest.mark.parametrize("name", ["a/b", "a b", "50%", "ü:v2", "x?y#z", '"<b>"', "a//b"])
def test_any_name_of_a_cohort_has_a_page(
    name: str, org: Organization, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = quota_policy(
        "native",
        cohorts={name: Cohort(name=name)},
        queues={"q": QueueSpec(name="q", parent=name, groups=quotas(("f", UNLIMITED)))},
    )
    activate_policy(org, policy, monkeypatch)
    listed = get(browser, "cohorts").all("tbody")[0].all("a")[0]
    assert listed.attrs["href"] == reverse("pages:cohort", args=["here", name])
    page = read_page(browser.get(listed.attrs["href"]))
    assert page.all("h1")[0].text == name
    assert visible_rows(page) == [["q", "—", "0 used, no limit"]]


@pytest.mark.parametrize("name", ["unknown", "%00", "research"])
def test_an_unknown_cohort_is_not_found(lab: None, browser: Client, name: str) -> None:
    assert browser.get(f"/o/here/cohorts/{name}").status_code == 404


@pytest.mark.parametrize(
    ("rules", "settings", "words"),
    [
        (Preemption(), QuotaSettings(), ("Never: waits until borrowers end", "Never")),
        (
            Preemption(
                reclaim_within_cohort=PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
                borrow_within_cohort=PreemptionRule.LOWER_PRIORITY,
            ),
            QuotaSettings(),
            (
                "From workloads of lower priority, and newer ones of equal priority",
                "Workloads of lower priority, of queues that borrow",
            ),
        ),
        (
            Preemption(
                reclaim_within_cohort=PreemptionRule.ANY,
                borrow_within_cohort=PreemptionRule.LOWER_PRIORITY,
            ),
            QuotaSettings(fair_sharing=(FairStrategy.FINAL_SHARE,)),
            ("From workloads of any priority, within fair shares", "By fair share"),
        ),
    ],
)
def test_rules_in_words(
    rules: Preemption,
    settings: QuotaSettings,
    words: tuple[str, str],
    org: Organization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queues = LAB.queues | {"archive": replace(LAB.queues["archive"], preemption=rules)}
    activate_policy(org, with_spec(LAB, queues=queues, settings=settings), monkeypatch)
    view = cohort_view(org, "all")
    archive = rules_rows(view.members, view.members, view.policy)[0]
    assert (archive.reclaims, archive.preempts_to_borrow) == words
