"""Users and groups, and placement rules, over HTTP."""

from __future__ import annotations

from console.orgs.permissions import Actor
from tests.hierarchy import fill_hierarchy, submit


def test_users_groups_and_placement_rules(api, owner: Actor) -> None:
    client = api(owner)
    assert client.get("users").body == {"results": [], "next": None}
    assert client.get("placement-rules").body == {
        "rules": [],
        "next": None,
        "by_default": 0,
        "rejected": 0,
        "unknown": 0,
        "is_complete": True,
    }
    fill_hierarchy(owner)
    everyone = client.get("users").body["results"]
    assert [(each["kind"], each["name"]) for each in everyone] == [
        ("user", "bob"),
        ("user", "sue"),
        ("group", "staff"),
    ]
    assert everyone[1:2] == [
        {
            "name": "sue",
            "kind": "user",
            "tightest": {"queue": "root.dev", "resource": "vcore", "used": 3, "limit": 4},
            "queues": [
                {
                    "queue": "root",
                    "lines": [
                        {"resource": None, "used": 1, "limit": None},
                        {"resource": "memory", "used": 1000, "limit": None},
                        {"resource": "vcore", "used": 3, "limit": None},
                    ],
                },
                {
                    "queue": "root.dev",
                    "lines": [
                        {"resource": None, "used": 1, "limit": 2},
                        {"resource": "memory", "used": 1000, "limit": None},
                        {"resource": "vcore", "used": 3, "limit": 4},
                    ],
                },
                {
                    "queue": "root.dev.tools",
                    "lines": [
                        {"resource": None, "used": 1, "limit": None},
                        {"resource": "memory", "used": 1000, "limit": None},
                        {"resource": "vcore", "used": 3, "limit": None},
                    ],
                },
            ],
        }
    ]
    first = client.get("users", limit=1).body
    assert first["results"] == everyone[:1]
    # A cursor is a place by name, so that it stays valid when usage changes.
    submit(owner, "more", "root.dev.web", user="amy", cpu=1)
    rest = client.get("users", cursor=first["next"]).body
    assert ([each["name"] for each in rest["results"]], rest["next"]) == (["sue", "staff"], None)
    for cursor in ("7", "0.6", "0.ff"):
        wrong = client.get("users", cursor=cursor)
        assert (wrong.status, wrong.body["errors"][0]["code"]) == (400, "invalid_cursor")
    assert [each["name"] for each in client.get("users", kind="group").body["results"]] == ["staff"]
    rules = client.get("placement-rules").body
    assert [(each["rule_index"], each["creates"], each["placed"]) for each in rules["rules"]] == [
        (0, False, 4),
        (1, True, 1),
        (2, True, 0),
    ]
    assert rules["rules"][2]["text"] == "the queue named like the user"
    assert rules["rules"][2]["filter"] == "Not for users bot."
    assert (rules["by_default"], rules["rejected"], rules["unknown"]) == (0, 1, 0)
    first = client.get("placement-rules", limit=2).body
    assert first["rules"] == rules["rules"][:2]
    rest = client.get("placement-rules", cursor=first["next"]).body
    assert (rest["rules"], rest["next"]) == (rules["rules"][2:], None)
