"""Units of amounts in answers: units of the resource, never the engine's thousandths."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

from django.test import Client

from console.orgs.audit import record
from console.orgs.models import AuditEntry
from console.workloads.models import Decision, Event
from tests.api.conftest import Answer, document

CONFIG = """\
resource_flavors: [{name: f}]
resource_queues:
  - name: research
    cohort_name: ml
    preemption: {within_resource_queue: lower_priority, reclaim_within_cohort: any}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: f, resources: [{name: gpu, nominal_quota: 4}]}]
  - name: batch
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: f, resources: [{name: gpu, nominal_quota: 8}]}]
scheduling_rules:
  - {selector: [{key: team, operator: in, values: [batch]}], resource_queue: batch}
  - {resource_queue: research, priority_policy: {default: 5}}
"""

#: Numbers that are no amounts and may be large: row ids continue after those of other tests.
NO_AMOUNTS = {"days", "id", "next", "number", "seconds", "seq"}
#: Values for the placeholders of paths.
NAMES = {"org": "here", "name": "research", "queue": "research", "version": "1"}


def numbers_in(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield the path and value of every number in JSON that may be an amount."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in NO_AMOUNTS:
                yield from numbers_in(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from numbers_in(each, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def in_thousandths(value: Any) -> list[tuple[str, float]]:
    """Return the numbers that must be thousandths, since every amount here is below 100."""
    return [each for each in numbers_in(value) if each[1] >= 400]


def create_amounts(client: Any, owner: Any, settle: Any) -> str:
    """Borrow, reclaim, wait and save an expectation; return the id of the borrowing workload."""
    client.post("config/versions", {"text": CONFIG, "expected_version": 0})
    ids = []
    for name, team, gpu in (("r", "x", 9), ("b", "batch", 7), ("big", "x", 40), ("more", "x", 2)):
        wish = {"name": name, "tags": {"team": team}, "requests": {"gpu": gpu}}
        ids += client.post("workloads", {"workloads": [wish]}).body["ids"]
        settle(owner.org)
    expected = {
        "name": "mine",
        "labels": {"team": "x"},
        "requests": {"gpu": 3},
        "queue": "research",
    }
    saved = client.post("config/expectations", {"expectations": [expected]})
    assert saved.status < 300, saved.body
    return ids[0]


def paths(uid: str) -> Iterator[str]:
    """Yield every JSON path of the organization for which the organization has objects."""
    known = NAMES | {"uid": uid, "workload": uid, "decision": str(Decision.objects.latest("pk").pk)}
    for template, methods in document()["paths"].items():
        # The bounds in the config schema are not amounts.
        if "get" in methods and "/orgs/{org}" in template and "schema" not in template:
            parts = {part.strip("{}") for part in template.split("/") if part.startswith("{")}
            if parts <= known.keys():
                path = template.replace("{org}", "here")
                for part in parts:
                    path = path.replace(f"{{{part}}}", known[part])
                yield path


def test_no_answer_has_an_amount_in_thousandths(api: Any, owner: Any, settle: Any) -> None:
    client = api(owner)
    uid = create_amounts(client, owner, settle)
    asked = list(paths(uid))
    assert len(asked) > 20
    leaks: dict[str, list[tuple[str, float]]] = {}
    for path in asked:
        answer: Answer = client.get(path)
        if answer.status == 200 and (found := in_thousandths(answer.body)):
            leaks[path] = found
    assert leaks == {}


def test_a_loan_and_an_expectation_are_told_in_units(api: Any, owner: Any, settle: Any) -> None:
    client = api(owner)
    uid = create_amounts(client, owner, settle)
    loan = {"workload": uid, "name": "r", "borrowed": {"f/gpu": 5}, "cohort": "ml"}
    row = Event.objects.get(type="QUOTA_BORROWED", workload__uid=uid)
    assert row.data["borrowed"] == {"f/gpu": 5000}
    (event,) = client.get("events", type="QUOTA_BORROWED", workload=uid).body["results"]
    assert event["data"] == loan
    (saved,) = client.get("events", type="EXPECTATION_SAVED").body["results"]
    assert saved["data"]["after"]["requests"] == {"gpu": 3}
    assert AuditEntry.objects.get(action="expectation.save").after["requests"] == {"gpu": "3"}
    exported = f"{client.org}/events?type=QUOTA_BORROWED&workload={uid}&as="
    lines = b"".join(client.client.get(f"{exported}ndjson"))
    assert json.loads(lines)["data"] == loan
    text = b"".join(client.client.get(f"{exported}csv")).decode()
    (of_csv,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert json.loads(of_csv["data"]) == loan
    theirs = f"/api/v2/scheduler/events?event_type=QUOTA_BORROWED&search_id={uid}"
    (told,) = client.client.get(theirs).json()["results"]
    assert told["metadata_json"] == loan


def test_an_audit_entry_of_an_older_version_is_shown_in_units(
    owner: Any, client_for: Callable[[Any], Client]
) -> None:
    """The sealed entry contains thousandths and cannot be changed."""
    facts = {"name": "mine", "requests": {"gpu": 3000}}
    record(owner, "expectation.save", kind="expectation", subject="mine", after=facts)
    page = client_for(owner).get("/o/here/events/audit").content.decode()
    assert unescape(page).count('{"gpu": "3"}') == 1
