"""Query plans without fresh PostgreSQL statistics: a backlog is scanned once, not per list item."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model

from console import statements
from console.bulk import Prepared, delete_keys, delete_rows, update_rows
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Intake, LabelSet, Usage, Workload
from console.workloads.services import apply_intake as apply_module
from console.workloads.services import submit_workloads as submit_module
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no such count."),
]

#: Rows at first, rows added at once, and how many of those are requested.
OTHERS, BACKLOG, ASKED = 30, 2_000, 500


def fill(org: Organization, actor: Actor, count: int) -> None:
    """Submit *count* workloads, each with labels, intake and usage of its own."""
    for number in range(count):
        tags = {"run": f"{org.pk}-{number}"}
        Usage.objects.create(org=org, queue=f"q{number}", flavor="any", resource="gpu", used="1")
        Intake.objects.create(org=org, kind=Intake.Kind.SUBMIT, payload={"ids": []}, size=1)
        submit_workloads(actor, [Submission(name=f"run-{number}", tags=tags)])


@pytest.fixture
def backlog(org: Organization, owner: Actor, other_org: Organization) -> Organization:
    """Fill an organization after PostgreSQL has gathered statistics on another one's rows."""
    fill(other_org, Actor.from_command(other_org), OTHERS)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    tags = [{"run": f"{org.pk}-{number}"} for number in range(BACKLOG)]
    submit_workloads(owner, [Submission(name="run", tags=each) for each in tags])
    numbers = range(BACKLOG)
    Usage.objects.bulk_create(
        Usage(org=org, queue=f"q{n}", flavor="any", resource="gpu", used="1") for n in numbers
    )
    Intake.objects.bulk_create(
        Intake(org=org, kind=Intake.Kind.SUBMIT, payload={"ids": []}, size=1) for _ in numbers
    )
    return org


def some(model: type[Model], org: Organization, column: str) -> list[Any]:
    rows = model._default_manager.filter(org=org).order_by("pk")
    return list(rows.values_list(column, flat=True)[:ASKED])


def plan_of(statement: str, parameters: Sequence[Any]) -> dict[str, Any]:
    explained = f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}"
    [(found,)] = statements.rows(explained, parameters, is_replanned=True)
    [told] = found if isinstance(found, list) else json.loads(found)
    plan: dict[str, Any] = told["Plan"]
    return plan


def examined_rows(plan: dict[str, Any]) -> Iterator[float]:
    """Yield the number of rows that each plan node examined in all its loops."""
    removed = (count for key, count in plan.items() if key.startswith("Rows Removed"))
    yield plan["Actual Loops"] * (plan["Actual Rows"] + sum(removed))
    for part in plan.get("Plans", ()):
        yield from examined_rows(part)


def asked(prepared: Prepared) -> tuple[str, tuple[Any, ...]]:
    [payload] = prepared.payloads
    return prepared.statement, payload


def renamed(uids: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    return asked(update_rows(Workload, ("uid", "name"), [(uid, f"new-{uid}") for uid in uids]))


def test_rows_are_not_scanned_once_per_requested_item(backlog: Organization) -> None:
    keys = statements.list_parameter(some(Workload, backlog, "pk"))
    digests = statements.list_parameter(some(LabelSet, backlog, "digest"))
    for statement, parameters in (
        (apply_module._workload_statement(), [keys]),
        (apply_module._NAMES, [keys]),
        (submit_module._KEYS, [backlog.pk, digests]),
        asked(delete_rows(Usage, backlog.pk, "queue", some(Usage, backlog, "queue"))),
        asked(delete_keys(Intake, some(Intake, backlog, "pk"))),
        renamed(some(Workload, backlog, "uid")),
    ):
        # Where all rows are examined, it is done once.
        assert ASKED <= max(examined_rows(plan_of(statement, parameters))) <= 1.1 * BACKLOG, (
            statement
        )


def test_one_of_thousands_is_found_without_reading_the_others(backlog: Organization) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    uid, *_ = some(Workload, backlog, "uid")
    assert max(examined_rows(plan_of(*renamed([uid])))) == 1
    names = Workload.objects.filter(name__startswith="new-").values_list("uid", "name")
    assert list(names) == [(uid, f"new-{uid}")]
