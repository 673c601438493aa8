"""Retention over HTTP: kinds of data and how long they are kept."""

from __future__ import annotations

from console.retention.models import Kind
from console.retention.record_deletions import record_deletions
from tests.api.documents import OPEN


def test_retention_lists_every_kind(api, owner):
    client = api(owner)
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    record_deletions(Kind.EVENTS, {owner.org.pk: 12})
    answer = client.get("retention")
    assert answer.status == 200
    told = {each["kind"]: each for each in answer.body["results"]}
    assert sorted(told) == sorted(Kind.values)
    assert (told["events"]["days"], told["events"]["setting"]) == (90, "EVENT_RETENTION_DAYS")
    assert told["events"]["forgotten"] == 12
    assert told["events"]["forgotten_at"] == told["events"]["looked_at"] is not None
    assert told["decisions"] == {
        "kind": "decisions",
        "days": 365,
        "setting": "WORKLOAD_RETENTION_DAYS",
        "rows": 0,
        "has_more_rows": False,
        "oldest": None,
        "looked_at": None,
        "forgotten_at": None,
        "forgotten": 0,
    }
    assert told["versions"]["rows"] == 1
    assert told["sessions"]["rows"] is None
