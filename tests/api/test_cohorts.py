"""Cohorts over HTTP: pools, members, loans, starved members; and the quota of their queues."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    QueueSpec,
    QuotaSettings,
    quota_policy,
    with_spec,
)
from console.engine.model.amounts import WEIGHT_ONE
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.workloads.models import OverQuota
from tests.api.documents import CAP
from tests.cohorts import LAB, activate_policy, fill, fill_three, quotas, use, wait

NAMES = ["team-a:v2", "a/b", "with space", "größe", "100%", "?x=1", "..", "🚀", "a//b"]


@pytest.fixture
def client(api, owner):
    return api(owner)


@pytest.fixture
def lab(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(org, monkeypatch)


def pool(flavor: str, **values: float | None) -> dict:
    zero = dict.fromkeys(
        ("own", "deposited", "pool", "used", "borrowed", "over", "lent", "available", "limit"), 0
    )
    limits = {"borrowing_limit": 0, "lending_limit": 0}
    asked = {"demand": 0, "cannot_run_demand": 0}
    return {"flavor": flavor, "resource": "gpu"} | zero | limits | asked | values


#: Limits of a cohort whose own quota sets none, or that has no own quota.
OPEN = {"borrowing_limit": None, "lending_limit": None}

LOAN = {
    "borrower": "research",
    "lender": {"type": "queue", "name": "batch"},
    "cohort": "ml",
    "flavor": "spot",
    "resource": "gpu",
    "amount": 4,
    "certain": True,
}
OWN = {**LOAN, "lender": {"type": "cohort", "name": "all"}, "cohort": "all", "amount": 2,
       "certain": False}  # fmt: skip
ARCHIVE = {**OWN, "lender": {"type": "queue", "name": "archive"}, "amount": 1}

#: Additional fields of a loan of a cohort whose beginning is unknown.
SINCE = {"since": None, "since_version": None}

STARVED = {
    "queue": "batch",
    "flavor": "spot",
    "resource": "gpu",
    "unused": 4,
    "wanted": 12,
    "loans": [LOAN],
}

ALL = {
    "name": "all",
    "path": [],
    "cohorts": ["ml"],
    "queues": ["archive"],
    "range": {"line": 1, "column": 1, "end_line": 2, "end_column": 9},
    "counts": {"queues": 3, "borrowers": 1, "running": 4, "pending": 8, "cannot_run": 0},
    # 16 used and 21 wanted of 19.
    "contention": 1.947,
    "pools": [
        # 2 of its own, 8 + 5 of ml, 4 of archive; batch uses 1 locally and 1 visible to the cohort.
        pool("spot", own=2, deposited=17, pool=19, used=16, available=3, limit=19, demand=21,
             **OPEN),
        pool("reserved", deposited=2, pool=2, available=2, limit=2, **OPEN),
    ],
    "share": None,
    "starved": [STARVED],
}  # fmt: skip

ML = {
    "name": "ml",
    "path": ["all"],
    "cohorts": [],
    "queues": ["research", "batch"],
    "range": None,
    "counts": {"queues": 2, "borrowers": 1, "running": 4, "pending": 8, "cannot_run": 0},
    "contention": 1.947,
    "pools": [
        pool("spot", deposited=13, pool=13, used=16, borrowed=3, available=3, limit=19, demand=21,
             **OPEN),
        pool("reserved", deposited=2, pool=2, available=2, limit=2, **OPEN),
    ],
    "share": None,
    "starved": [STARVED],
}  # fmt: skip


def test_without_cohorts_there_are_none(client):
    assert client.get("cohorts").body == {"results": [], "next": None}
    assert client.get("cohorts/ml").problem == (404, "not_found")
    assert client.post("config/versions", {"text": CAP, "expected_version": 0}).status == 201
    assert client.get("cohorts").body == {"results": [], "next": None}


def test_cohorts_come_as_trees_with_their_pools(client, lab):
    assert client.get("cohorts").body == {"results": [ALL, ML], "next": None}
    first = client.get("cohorts", limit=1).body
    assert first["results"] == [ALL]
    assert client.get("cohorts", limit=1, cursor=first["next"]).body == {
        "results": [ML],
        "next": None,
    }
    assert client.get("cohorts", name="x").problem == (400, "invalid_request")


def test_cohorts_are_found_by_name_and_sorted(client, org, monkeypatch):
    fill_three(org, monkeypatch)

    def listed(**query: str) -> list[tuple[str, float]]:
        results = client.get("cohorts", **query).body["results"]
        return [(cohort["name"], cohort["contention"]) for cohort in results]

    assert listed() == [("quiet", 0), ("busy", 1), ("Waiting", 0.75)]
    assert listed(sort="contention") == [("busy", 1), ("Waiting", 0.75), ("quiet", 0)]
    assert listed(sort="pending") == [("Waiting", 0.75), ("busy", 1), ("quiet", 0)]
    assert listed(sort="name") == [("busy", 1), ("quiet", 0), ("Waiting", 0.75)]
    assert listed(q="AI") == [("Waiting", 0.75)]
    assert listed(q="i", sort="name") == [("quiet", 0), ("Waiting", 0.75)]
    assert client.get("cohorts", sort="size").problem == (400, "invalid_request")


def member(
    kind: str,
    name: str,
    cohort: str,
    depth: int,
    rules: tuple | None,
    *usage: dict,
    counts: tuple = (0, 0),
) -> dict:
    names = ("within_queue", "reclaim_within_cohort", "borrow_within_cohort")
    return {
        "type": kind,
        "name": name,
        "cohort": cohort,
        "depth": depth,
        "counts": dict(zip(("running", "pending"), counts, strict=True)) | {"cannot_run": 0},
        "preemption": rules
        and dict(zip((*names, "max_priority_threshold"), ("never", *rules), strict=True)),
        "share": None,
        "usage": list(usage),
    }


def cell(flavor: str, **values: float | None) -> dict:
    zero = dict.fromkeys(
        ("nominal", "used", "borrowed", "over", "lent", "available", "limit", "demand"), 0
    )
    never = {"cannot_run_demand": 0}
    return {"flavor": flavor, "resource": "gpu"} | zero | never | OPEN | values


RESEARCH = member(
    "queue", "research", "ml", 2, ("lower_priority", "lower_priority", 50),
    cell("spot", nominal=8, used=15, borrowed=7, available=3, limit=19, demand=4),
    cell("reserved", nominal=2, available=2, limit=2), counts=(3, 1),
)  # fmt: skip
BATCH = member(
    "queue", "batch", "ml", 2, ("never", "never", None),
    # 1 of its own is never lent; it may borrow the rest of ml and all.
    cell("spot", nominal=6, used=2, lent=4, available=3, limit=20, demand=17, lending_limit=5),
    counts=(1, 7),
)  # fmt: skip
ARCHIVES = member(
    "queue", "archive", "all", 1, ("any", "never", None),
    cell("spot", nominal=4, lent=1, available=3, limit=7, borrowing_limit=3),
)  # fmt: skip


def test_a_cohort_has_everything_below_it(client, lab):
    ml_pools = [
        cell("spot", nominal=13, used=16, borrowed=3, available=3, limit=19, demand=21),
        cell("reserved", nominal=2, available=2, limit=2),
    ]
    assert client.get("cohorts/all").body == ALL | {
        "members": [
            ARCHIVES,
            member("cohort", "ml", "all", 1, None, *ml_pools, counts=(4, 8)),
            RESEARCH,
            BATCH,
        ],
        "loans": [loan | SINCE for loan in (LOAN, OWN, ARCHIVE)],
        "waiting": [
            {"reason": "behind_others", "count": 5, "queues": [{"name": "batch", "count": 5}]},
            {
                "reason": "waiting_for_quota",
                "count": 3,
                "queues": [{"name": "batch", "count": 2}, {"name": "research", "count": 1}],
            },
        ],
        "fair_sharing": [],
    }
    ml = client.get("cohorts/ml").body
    assert [each["name"] for each in ml["members"]] == ["research", "batch"]
    assert [each["depth"] for each in ml["members"]] == [1, 1]
    assert ml["loans"] == [loan | SINCE for loan in (LOAN, OWN, ARCHIVE)]
    assert client.get("cohorts/research").problem == (404, "not_found")


def test_a_loan_says_since_when_its_borrower_is_above_what_it_owns(client, lab, org):
    place = {"queue": "research", "flavor": "spot", "resource": "gpu"}
    since = datetime(2026, 9, 1, 12, tzinfo=UTC)
    OverQuota.objects.create(org=org, since=since, config_version=7, **place)
    loans = client.get("cohorts/all").body["loans"]
    assert {(loan["since"], loan["since_version"]) for loan in loans} == {
        ("2026-09-01T12:00:00.000000Z", 7)
    }


def test_with_fair_sharing_every_member_has_a_share(client, lab, org, monkeypatch):
    queues = LAB.queues | {"batch": replace(LAB.queues["batch"], fair_weight=WEIGHT_ONE // 2)}
    fair = QuotaSettings(fair_sharing=(FairStrategy.FINAL_SHARE, FairStrategy.INITIAL_SHARE))
    activate_policy(org, with_spec(LAB, queues=queues, settings=fair), monkeypatch)
    body = client.get("cohorts/all").body
    assert body["fair_sharing"] == [
        "less_than_or_equal_to_final_share",
        "less_than_initial_share",
    ]
    nothing = {"value": 0, "unbounded": False, "resource": None, "weight": 1}
    assert body["share"] == nothing
    assert {each["name"]: each["share"] for each in body["members"]} == {
        "archive": nothing,
        # 3 of the 21 GPUs of all flavors that the root could lend.
        "ml": {"value": 143, "unbounded": False, "resource": "gpu", "weight": 1},
        # 7 of the 21 GPUs that ml could have.
        "research": {"value": 334, "unbounded": False, "resource": "gpu", "weight": 1},
        "batch": nothing | {"weight": 0.5},
    }
    assert client.get("cohorts/ml").body["share"]["value"] == 143


def test_a_queue_says_what_it_borrows_and_lends(client, lab):
    rows = {row["name"]: row for row in client.get("queues").body["results"]}
    limits = OPEN.keys()
    for name, shown in (("research", RESEARCH), ("batch", BATCH), ("archive", ARCHIVES)):
        usage = [{k: v for k, v in each.items() if k not in limits} for each in shown["usage"]]
        assert rows[name]["usage"] == usage
        assert client.get(f"queues/{name}").body["usage"] == usage
    assert [(rows[name]["cohort"]) for name in rows] == ["ml", "ml", "all", None]
    (alone,) = rows["alone"]["usage"]
    assert {k: alone[k] for k in ("nominal", "used", "borrowed", "over", "lent", "limit")} == {
        "nominal": 2,
        "used": 3,
        "borrowed": 0,
        "over": 1,
        "lent": 0,
        "limit": 2,
    }


def test_usage_of_a_removed_queue_takes_no_room_in_the_cohort(client, lab, org):
    use(org, "gone", "spot", 9000)
    assert client.get("cohorts").body["results"] == [ALL, ML]
    (usage,) = client.get("queues/gone").body["usage"]
    assert (usage["used"], usage["borrowed"], usage["over"]) == (9, 0, 9)


def test_work_on_a_flavor_that_left_the_queue_still_takes_room(client, lab, org):
    use(org, "archive", "reserved", 1000)
    usage = client.get("queues/archive").body["usage"][1]
    assert {k: usage[k] for k in ("nominal", "used", "borrowed", "over", "limit")} == {
        "nominal": 0,
        "used": 1,
        "borrowed": 1,
        "over": 0,
        "limit": 0,
    }
    everything = client.get("cohorts/all").body["pools"][1]
    assert (everything["used"], everything["available"]) == (1, 1)


def test_a_waiting_queue_that_lends_nothing_is_not_starved(client, lab, org):
    wait(org, "archive", "queue_held", 3, 1000)
    wait(org, "archive", "waiting_for_quota", 1, 9000, {"reserved/gpu": 1000})
    assert client.get("cohorts/all").body["starved"] == [STARVED]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_may_hold_anything(client, org, monkeypatch, name):
    policy = quota_policy(
        "native",
        cohorts={name: Cohort(name=name)},
        queues={"q": QueueSpec(name="q", parent=name, groups=quotas(("f", 1000)))},
    )
    activate_policy(org, policy, monkeypatch)
    assert client.get(f"cohorts/{quote(name, safe='/')}").body["name"] == name
    assert client.get("queues/q").body["cohort"] == name


def test_a_queue_and_a_cohort_may_have_one_name(client, org, monkeypatch):
    policy = quota_policy(
        "native",
        cohorts={
            "same": Cohort(name="same", groups=quotas(("f", 1000))),
            "other": Cohort(name="other", parent="same"),
        },
        queues={
            "same": QueueSpec(name="same", parent="same", groups=quotas(("f", 1000))),
            "other": QueueSpec(name="other", parent="other", groups=quotas(("f", 1000))),
        },
    )
    activate_policy(org, policy, monkeypatch)
    use(org, "same", "f", 3000)
    assert [
        (loan["lender"], loan["amount"]) for loan in client.get("cohorts/same").body["loans"]
    ] == [
        ({"type": "cohort", "name": "same"}, 1),
        ({"type": "queue", "name": "other"}, 1),
    ]
    (inner,) = client.get("cohorts/other").body["pools"]
    assert (inner["lent"], inner["borrowed"], inner["used"]) == (1, 0, 0)


def wide(queues: int) -> Policy:
    """Return a cohort of *queues* queues with ten flavors each."""
    flavors = [(f"f{number}", 10000) for number in range(10)]
    return quota_policy(
        "native",
        cohorts={"wide": Cohort(name="wide")},
        queues={
            f"q{number}": QueueSpec(name=f"q{number}", parent="wide", groups=quotas(*flavors))
            for number in range(queues)
        },
    )


@pytest.mark.parametrize("path", ["cohorts", "cohorts/wide", "queues", "queues/q1"])
def test_queries_do_not_grow_with_queues(client, org, monkeypatch, path):
    found = []
    for size in (2, 40):
        activate_policy(org, wide(size), monkeypatch)
        for number in range(size // 2, size):
            use(org, f"q{number}", "f0", 1000 * number)
            wait(org, f"q{number}", "waiting_for_quota", 2, 5000, {"f0/gpu": 1000})
        client.get(path)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path).status == 200
        found.append(len(captured))
    assert found[0] == found[1]
    assert found[0] <= 15


def test_the_accounts_of_a_cohort_add_up(client, lab):
    members = client.get("cohorts/all").body["members"]
    usages = [usage for each in members if each["type"] == "queue" for usage in each["usage"]]
    for usage in usages:
        own = usage["used"] - usage["borrowed"] - usage["over"]
        assert own >= 0
        assert not (usage["borrowed"] and usage["lent"])
        assert own + usage["lent"] <= usage["nominal"]
    borrowed = sum(usage["borrowed"] for usage in usages)
    assert borrowed == sum(loan["amount"] for loan in client.get("cohorts/all").body["loans"]) == 7
