"""Lints in the answer to a config check, next to the errors that prevent an apply."""

from __future__ import annotations

import pytest

from console.capacity.services.report_cluster import report_cluster

TEXT = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any}]
scheduling_rules:
  - selector: [{key: team, operator: in, values: [a]}]
    resource_queue: train
"""


@pytest.fixture
def client(api, viewer):
    return api(viewer)


def test_lints_of_the_language_and_of_all_languages_are_one_list(client):
    body = client.post("config/check", {"dialect": "native", "text": TEXT}).body
    assert body == {
        "ok": True,
        "diagnostics": [],
        "lints": [
            {
                "code": "LNT007",
                "severity": "info",
                "message": 'gpu has no quota in flavor "any" of queue "train", so there is no '
                "limit.",
                "path": "resource_queues[0].resource_groups[0].flavors[0].name",
                "range": {"line": 6, "column": 26, "end_line": 6, "end_column": 29},
                "hint": "Set a number; 0 blocks it.",
                "fixes": [],
                "doc_url": "http://testserver/o/here/config/codes#LNT007",
                "live": False,
                "original": "",
                "scope": None,
            },
            {
                "code": "NAT020",
                "severity": "warning",
                ("message"): (
                    "No rule matches every workload, so a workload that matches none is rejected."
                ),
                "path": "scheduling_rules[0]",
                "range": {"line": 9, "column": 21, "end_line": 9, "end_column": 26},
                "hint": "Add a last rule that has no selector.",
                "fixes": [],
                "doc_url": "http://testserver/o/here/config/codes#NAT020",
                "live": False,
                "original": "",
                "scope": None,
            },
        ],
    }


def test_a_text_with_errors_has_no_lints(client):
    body = client.post("config/check", {"text": TEXT.replace("any}]", "many}]", 1)}).body
    assert [each["code"] for each in body["diagnostics"]] == ["NAT002"]
    assert body["lints"] == []


def test_lints_compare_labels_with_the_clusters_that_report(client, owner):
    report_cluster(owner, "east", {"labels": {"region": "eu"}, "nodes": []})
    text = (
        "kind: PlacementTemplate\n"
        "metadata: { name: europe }\n"
        "spec: { filters: [{ name: eu, match_labels: { regoin: eu } }] }\n"
    )
    body = client.post("config/check", {"dialect": "skyshift", "text": text}).body
    place = {"line": 3, "column": 47, "end_line": 3, "end_column": 53}
    assert body["lints"] == [
        {
            "code": "LNT017",
            "severity": "warning",
            "message": 'No cluster has the label "regoin".',
            "path": "spec.filters[0].match_labels.regoin",
            "range": place,
            "hint": 'Did you mean "region"?',
            "fixes": [
                {
                    "title": 'Replace with "region"',
                    "edits": [{"range": place, "new_text": "region"}],
                }
            ],
            "doc_url": "http://testserver/o/here/config/codes#LNT017",
            "live": True,
            "original": "",
            "scope": None,
        }
    ]
