"""Save and delete expectations; each change is an event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction

from console.configs.models import Expectation
from console.configs.read_expectations import EXPECTATION_FIELDS, MOST_EXPECTATIONS
from console.engine.model.amounts import format_amount
from console.engine.routing.expectations import ExpectedRoute
from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.audit import record
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.workloads.models import Event, EventType


def save_expectations(actor: Actor, expectations: Sequence[ExpectedRoute]) -> list[Expectation]:
    """
    Save *expectations*, and return them in order; each replaces one with the same name.

    Every new or changed expectation is an event. Raises NotAllowed, and Conflict
    (``too_many_expectations``), with nothing saved, if the organization would have more than
    `MOST_EXPECTATIONS`, the number that can be checked at every apply.
    """
    actor.require(Permission.DRAFT)
    return _save(actor, expectations, {})


def _save(
    actor: Actor, expectations: Sequence[ExpectedRoute], renamed: Mapping[str, Mapping[str, Any]]
) -> list[Expectation]:
    """Save *expectations*; *renamed* maps new names of renamed ones to their previous fields."""
    org = actor.org
    names = [each.name for each in expectations]
    mine = Expectation.objects.filter(org=org, name__in=names)
    with transaction.atomic():
        lock_org(org)
        before = {**{row.name: _facts(row) for row in mine}, **renamed}
        rows = [_row(actor, org, each) for each in expectations]
        Expectation.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["org", "name"],
            update_fields=[*(field for field in EXPECTATION_FIELDS if field != "name"), "author"],
        )
        count = Expectation.objects.filter(org=org).count()
        if count > MOST_EXPECTATIONS:
            raise Conflict(
                "too_many_expectations",
                f"An organization has at most {MOST_EXPECTATIONS} expectations; with these it "
                f"would have {count}. Delete some first.",
            )
        found = {row.name: row for row in mine.all()}
        _record_changes(actor, EventType.EXPECTATION_SAVED, _changes(before, found.values()))
    return [found[name] for name in names]


def save_expectation(actor: Actor, expected: ExpectedRoute, number: int | None) -> Expectation:
    """
    Create an expectation, or replace expectation *number* and its name; None creates one.

    Raises NotAllowed, NotFound, Conflict as `save_expectations` does, and BadRequest if another
    expectation has the name.
    """
    actor.require(Permission.DRAFT)
    mine = Expectation.objects.filter(org=actor.org)
    with transaction.atomic():
        lock_org(actor.org)
        if number is not None and not mine.filter(pk=number).exists():
            raise NotFound("This expectation was deleted; save it as a new one.")
        if mine.filter(name=expected.name).exclude(pk=number or 0).exists():
            message = f"Another expectation is called {expected.name}; give this one its own name."
            raise BadRequest([FieldError("name", "repeated_name", message)])
        before = {}
        if number is not None:
            before[expected.name] = _facts(mine.get(pk=number))
            mine.filter(pk=number).update(name=expected.name)
        return _save(actor, [expected], before)[0]


def delete_expectations(actor: Actor, names: Collection[str]) -> int:
    """Delete the expectations called *names*, and return their number; raises NotAllowed."""
    actor.require(Permission.DRAFT)
    mine = Expectation.objects.filter(org=actor.org, name__in=names)
    with transaction.atomic():
        # The lock prevents changes of the rows between read and delete.
        lock_org(actor.org)
        gone = [{"name": row.name, "before": _facts(row)} for row in mine]
        mine.all().delete()
        _record_changes(actor, EventType.EXPECTATION_DELETED, gone)
    return len(gone)


def _facts(row: Expectation) -> dict[str, Any]:
    return {field: getattr(row, field) for field in EXPECTATION_FIELDS}


def _changes(
    before: Mapping[str, Mapping[str, Any]], rows: Iterable[Expectation]
) -> list[dict[str, Any]]:
    """Return the expectations that are new or differ from *before*, by name."""
    found = []
    for row in sorted(rows, key=lambda row: row.name):
        was, now = before.get(row.name), _facts(row)
        if was is None:
            found.append({"name": row.name, "after": now})
        elif was != now:
            found.append({"name": row.name, "before": was, "after": now})
    return found


def _record_changes(actor: Actor, kind: EventType, changes: Sequence[Mapping[str, Any]]) -> None:
    Event.objects.bulk_create(
        Event(org=actor.org, type=kind, actor=actor.name, data=data) for data in changes
    )
    for data in changes:
        record(
            actor,
            "expectation.save" if kind == EventType.EXPECTATION_SAVED else "expectation.delete",
            kind="expectation",
            subject=data["name"],
            before=_in_units(data.get("before")),
            after=_in_units(data.get("after")),
        )


def _in_units(facts: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """
    Return *facts* for the audit log, with requests as text in the units of the resources.

    Audit entries of older releases have numbers in thousandths there; they are sealed and not
    converted.
    """
    if facts is None:
        return None
    requests = {name: format_amount(amount) for name, amount in facts["requests"].items()}
    return {**facts, "requests": requests}


def _row(actor: Actor, org: Organization, expected: ExpectedRoute) -> Expectation:
    workload = expected.workload
    return Expectation(
        org=org,
        name=expected.name,
        labels=dict(workload.labels),
        namespace=workload.namespace,
        user=workload.user,
        groups=list(workload.groups),
        priority=workload.priority,
        requests=workload.total(),
        queue=expected.queue,
        effective_priority=expected.priority,
        author=actor.name,
    )
