"""Configs over HTTP: check, apply, history, comparison and rollback."""

from __future__ import annotations

import pytest

from console.configs.models import ConfigVersion
from tests.api.documents import CAP, OPEN

SMALLER = CAP.replace("m5-2xlarge-cap3", "m5-2xlarge-cap2").replace(
    "nominal_quota: 24", "nominal_quota: 16"
)


@pytest.fixture
def client(api, owner):
    return api(owner)


def apply(client, text: str, expected: int, message: str = "as asked"):
    return client.post(
        "config/versions",
        {"dialect": "native", "text": text, "message": message, "expected_version": expected},
    )


def test_a_good_text_is_ok(client):
    answer = client.post("config/check", {"dialect": "native", "text": CAP})
    assert answer.body == {"ok": True, "diagnostics": [], "lints": []}


def test_all_errors_of_a_text_are_reported(client):
    text = "resource_queues:\n  - nmae: a\nscheduling_rules:\n  - resource_queue: b\n"
    body = client.post("config/check", {"text": text}).body
    assert body["ok"] is False
    assert [d["range"]["line"] for d in body["diagnostics"]] == sorted(
        d["range"]["line"] for d in body["diagnostics"]
    )
    assert {d["severity"] for d in body["diagnostics"]} == {"error"}
    assert len(body["diagnostics"]) >= 2


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800", "\t- x", "a: &a [*a]", "x" * 1_000_000])
def test_any_text_can_be_checked(client, text):
    assert client.post("config/check", {"text": text}).status == 200


def test_an_invalid_text_or_dialect_is_refused(client):
    for text, code in ((None, "wrong_type"), (5, "wrong_type"), ("x" * 4_000_001, "too_long")):
        answer = client.post("config/check", {"text": text})
        assert [(e["path"], e["code"]) for e in answer.body["errors"]] == [("text", code)]
    answer = client.post("config/check", {"text": "", "dialect": "cobol"})
    assert answer.body["errors"] == [
        {
            "path": "dialect",
            "code": "unknown_dialect",
            "message": (
                "There is no config language of this name; "
                "use one of: kai, kueue, native, skyshift, yunikorn."
            ),
        }
    ]


def test_versions_follow_each_other(client, settle, owner):
    first = apply(client, OPEN, 0)
    assert first.status == 201
    assert first.body.pop("created_at").endswith("Z")
    changes = first.body.pop("changes")
    assert [(c["kind"], c["object"], c["name"]) for c in changes] == [
        ("added", "queue", "default"),
        ("added", "rule", "0 to default"),
    ]
    assert first.body == {
        "version": 1,
        "dialect": "native",
        "message": "as asked",
        "kind": "apply",
        "rolled_back_to": None,
        "author": "owner token",
        "via": "api",
        "consequences": [],
        "effect": None,
        "is_active": True,
        "temporary": None,
        "scheduled_change": None,
        "text": OPEN,
        "changes_total": 2,
        "is_new": True,
        "lints": [],
    }
    assert client.get("config").body["version"] == 1

    assert apply(client, CAP, 1, "cap m5").status == 201
    rows = client.get("config/versions").body["results"]
    assert [(row["version"], row["message"], row["is_active"]) for row in rows] == [
        (2, "cap m5", True),
        (1, "as asked", False),
    ]
    assert client.get("config/versions/1").body["is_active"] is False
    assert client.get("config/versions/1").body["text"] == OPEN
    event = client.get("events", type="CONFIG_UPDATED").body["results"][0]
    assert event["data"] == {
        "version": 2,
        "from": 1,
        "kind": "apply",
        "message": "cap m5",
        "via": "api",
        "accepted": [],
    }
    settle(owner.org)


def test_a_stale_apply_is_refused_with_the_active_version(client):
    apply(client, OPEN, 0)
    apply(client, CAP, 1, "somebody else's")
    answer = apply(client, OPEN + "# mine\n", 1)
    assert answer.problem == (409, "stale_version")
    assert answer.body["expected_version"] == 1
    assert answer.body["active_version"] == 2
    assert [(v["version"], v["message"]) for v in answer.body["newer"]] == [(2, "somebody else's")]
    assert ConfigVersion.objects.count() == 2
    assert apply(client, OPEN, 7).problem == (409, "stale_version")


def test_a_text_with_errors_is_not_applied(client):
    answer = apply(client, "resource_queues: 5", 0)
    assert answer.problem == (422, "config_rejected")
    assert answer.body["detail"] == "The config has 1 error; nothing was applied."
    assert len(answer.body["diagnostics"]) == 1
    assert not ConfigVersion.objects.exists()
    assert client.get("config").problem == (404, "not_found")


def test_a_queue_spec_is_immutable(client):
    apply(client, CAP, 0)
    changed = apply(client, CAP.replace("nominal_quota: 24", "nominal_quota: 25"), 1)
    assert changed.problem == (422, "config_rejected")
    assert apply(client, OPEN, 1).status == 201
    again = apply(client, CAP.replace("nominal_quota: 24", "nominal_quota: 25"), 2)
    assert again.problem == (422, "config_rejected")
    assert apply(client, CAP, 2).status == 201


def test_a_message_has_limits(client):
    long = apply(client, OPEN, 0, "x" * 501)
    assert [(e["path"], e["code"]) for e in long.body["errors"]] == [("message", "too_long")]
    assert apply(client, OPEN, 0, "a\0").status == 400
    assert apply(client, OPEN, 0, "").status == 201


def test_two_versions_are_compared_by_text_and_by_object(client):
    apply(client, CAP, 0)
    apply(client, "# smaller now\n" + SMALLER, 1)
    diff = client.get("config/versions/1/diff", to=2).body
    assert diff == client.get("config/versions/1/diff").body
    changed = [row for row in diff["text"] if row["kind"] in ("added", "removed")]
    assert changed == [
        {"kind": "added", "old": None, "new": 1, "text": "# smaller now"},
        {"kind": "removed", "old": 5, "new": None, "text": "  - name: q-m5-2xlarge-cap3"},
        {"kind": "added", "old": None, "new": 6, "text": "  - name: q-m5-2xlarge-cap2"},
        {
            "kind": "removed",
            "old": 12,
            "new": None,
            "text": "              - { name: cpu, nominal_quota: 24 }",
        },
        {
            "kind": "added",
            "old": None,
            "new": 13,
            "text": "              - { name: cpu, nominal_quota: 16 }",
        },
        {
            "kind": "removed",
            "old": 17,
            "new": None,
            "text": "    resource_queue: q-m5-2xlarge-cap3",
        },
        {"kind": "added", "old": None, "new": 18, "text": "    resource_queue: q-m5-2xlarge-cap2"},
    ]
    (change,) = diff["changes"]
    assert change.pop("range")["line"] > 1
    assert change == {
        "kind": "renamed",
        "object": "queue",
        "name": "q-m5-2xlarge-cap2",
        "old_name": "q-m5-2xlarge-cap3",
        "parts": ["groups", "references"],
        "details": [
            {
                "type": "quota",
                "flavor": "m5-2xlarge",
                "resource": "cpu",
                "limit": "nominal",
                "from": 24,
                "to": 16,
            },
            {"type": "followed", "noun": "rule", "name": "0 to q-m5-2xlarge-cap2"},
        ],
    }
    same = client.get("config/versions/2/diff", to=2).body
    assert same == {
        "from": 2,
        "to": 2,
        "text": [],
        "text_total": 0,
        "changes": [],
        "changes_total": 0,
        "next": None,
    }


def test_a_long_comparison_has_pages(client):
    names = [f"team-{number:04}" for number in range(1_200)]
    text = "resource_queues:\n" + "".join(f"  - name: {name}\n" for name in names)
    apply(client, text, 0)
    apply(client, text.replace("team", "group"), 1)
    first = client.get("config/versions/1/diff", to=2).body
    assert (first["text_total"], first["changes_total"]) == (2_401, 2_400)
    pages, cursor = [first], first["next"]
    while cursor:
        pages.append(client.get("config/versions/1/diff", cursor=cursor).body)
        cursor = pages[-1]["next"]
    assert [(len(page["text"]), len(page["changes"])) for page in pages] == [
        (1_000, 1_000),
        (1_000, 1_000),
        (401, 400),
    ]
    told = [(each["kind"], each["name"]) for page in pages for each in page["changes"]]
    assert sorted(told) == sorted(
        [("removed", name) for name in names]
        + [("added", name.replace("team", "group")) for name in names]
    )
    rows = [row["text"] for page in pages for row in page["text"]]
    assert sorted(rows) == sorted(
        ["resource_queues:"]
        + [f"  - name: {name}" for name in names]
        + [f"  - name: {name.replace('team', 'group')}" for name in names]
    )
    small = client.get("config/versions/1/diff", to=2, limit=7).body
    assert (small["text"], small["changes"]) == (first["text"][:7], first["changes"][:7])
    # The following pages show the version that the first page was read from.
    apply(client, OPEN, 2)
    assert client.get("config/versions/1/diff", cursor=first["next"]).body == pages[1]
    other = client.get("config/versions/1/diff", to=3, cursor=first["next"])
    assert [(e["path"], e["code"]) for e in other.body["errors"]] == [("cursor", "invalid_cursor")]
    assert client.get("config/versions/1/diff", cursor="x").status == 400
    assert client.get("config/versions/1/diff", limit=1_001).status == 400


def test_a_version_has_its_first_changes_and_their_total(client):
    names = [f"team-{number:04}" for number in range(1_001)]
    text = "resource_queues:\n" + "".join(f"  - name: {name}\n" for name in names)
    applied = apply(client, text, 0).body
    assert [change["name"] for change in applied["changes"]] == names[:1_000]
    assert applied["changes_total"] == 1_001
    shown = client.get("config/versions/1").body
    assert applied == {**shown, "is_new": True, "lints": applied["lints"]}
    assert apply(client, OPEN, 1).status == 201
    diff = client.get("config/versions/2/diff", to=1).body
    rest = client.get("config/versions/2/diff", cursor=diff["next"]).body
    told = [each["name"] for page in (diff, rest) for each in page["changes"]]
    assert [name for name in told if name in names] == names


def test_rolling_back_makes_a_new_version(client):
    apply(client, OPEN, 0)
    apply(client, CAP, 1)
    stale = client.post("config/rollback", {"version": 1, "expected_version": 1})
    assert stale.problem == (409, "stale_version")
    same = client.post("config/rollback", {"version": 2, "expected_version": 2})
    assert same.problem == (409, "already_active")
    unknown = client.post("config/rollback", {"version": 9, "expected_version": 2})
    assert unknown.problem == (404, "not_found")
    answer = client.post("config/rollback", {"version": 1, "expected_version": 2})
    assert answer.status == 201
    assert {name: answer.body[name] for name in ("version", "kind", "rolled_back_to", "text")} == {
        "version": 3,
        "kind": "rollback",
        "rolled_back_to": 1,
        "text": OPEN,
    }
    assert answer.body["message"] == "Roll back to version 1"
    assert client.get("config").body["version"] == 3


def test_the_active_text_again_makes_no_version(client):
    first = apply(client, OPEN, 0, "the first").body
    events = client.get("events").body["results"]
    again = apply(client, OPEN, 1, "the second")
    assert (again.status, again.body) == (200, {**first, "is_new": False})
    # An apply that is skipped records no accepted consequences and starts no timer.
    terms = {"accept": [], "revert_after_minutes": 10}
    body = {"text": OPEN, "expected_version": 1, **terms}
    assert client.post("config/versions", body).status == 200
    assert client.get("config/confirm").problem == (404, "not_found")
    assert client.get("events").body["results"] == events
    assert apply(client, OPEN, 0).problem == (409, "stale_version")
    # Comments are part of the text, and a version keeps its text.
    assert apply(client, f"# Why.\n{OPEN}", 1).status == 201
    assert ConfigVersion.objects.count() == 2


def test_rolling_back_to_the_active_text_makes_no_version(client):
    for number, text in enumerate((OPEN, CAP, OPEN)):
        assert apply(client, text, number).status == 201
    answer = client.post("config/rollback", {"version": 1, "expected_version": 3})
    assert (answer.status, answer.body["version"], answer.body["is_new"]) == (200, 3, False)
    assert ConfigVersion.objects.count() == 3


def test_an_apply_answers_the_lints_of_a_check(client):
    text = OPEN + "  - resource_queue: default\n"
    checked = client.post("config/check", {"text": text}).body
    assert [each["code"] for each in checked["lints"]] == ["NAT021"]
    applied = apply(client, text, 0)
    assert (applied.status, applied.body["lints"]) == (201, checked["lints"])
    apply(client, OPEN, 1)
    back = client.post("config/rollback", {"version": 1, "expected_version": 2})
    assert (back.status, back.body["lints"]) == (201, checked["lints"])


def test_history_is_paged(client):
    for number in range(7):
        apply(client, OPEN + "#" * number + "\n", number)
    seen, cursor = [], ""
    while cursor is not None:
        page = client.get("config/versions", limit=3, cursor=cursor).body
        seen += [row["version"] for row in page["results"]]
        cursor = page["next"]
    assert seen == [7, 6, 5, 4, 3, 2, 1]


def test_history_is_filtered(client):
    apply(client, OPEN, 0)
    apply(client, CAP, 1)
    apply(client, f"# why\n{CAP}", 2)
    client.post("config/rollback", {"version": 2, "expected_version": 3})

    def found(**query: str) -> list[int]:
        rows = client.get("config/versions", **query).body["results"]
        return [row["version"] for row in rows]

    assert found(object="queue", name="q-m5-2xlarge-cap3") == [2]
    assert found(object="rule", name="default") == [1]
    assert found(kind="rollback") == [4]
    assert found(author="owner token", kind="apply") == [3, 2, 1]
    assert found(author="nobody") == []
    for number, day in ((1, "2026-01-30"), (2, "2026-01-31")):
        versions = ConfigVersion.objects.filter(number=number)
        versions.update(created_at=f"{day}T23:59:59.500Z")
    assert found(until="2026-01-30") == [1]
    assert found(since="2026-01-31", until="2026-01-31") == [2]
    assert found(since="2026-01-30T23:59:59.500Z", until="2026-01-31T23:59:59.500Z") == [1]
    assert found(since="2026-02-01", kind="apply") == [3]
    never = client.get("config/versions", since="soon")
    assert (never.problem, never.body["errors"][0]["path"]) == ((400, "invalid_request"), "since")
    strange = client.get("config/versions", object="thing")
    assert strange.problem == (400, "invalid_request")
    assert strange.body["errors"][0]["path"] == "object"


def test_a_schema_for_editors(client):
    body = client.client.get("/api/v1/orgs/here/config/schema").json()
    assert set(body["properties"]) == {"resource_flavors", "resource_queues", "scheduling_rules"}
