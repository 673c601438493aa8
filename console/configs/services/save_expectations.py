"""Save expectations: what every config of an organization has to make of some workloads."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction

from console.configs.models import Expectation
from console.configs.read_expectations import MOST_EXPECTATIONS
from console.engine.expected import Expected
from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org


def save_expectations(actor: Actor, expectations: Sequence[Expected]) -> list[Expectation]:
    """
    Save *expectations*, each in the place of one with its name, and return them in order.

    Raises NotAllowed, and Conflict (``too_many_expectations``), with nothing saved, when
    the organization would have more than can be checked at every apply.
    """
    actor.require(Permission.DRAFT)
    with transaction.atomic():
        org = actor.org
        lock_org(org)
        rows = [_row(actor, org, each) for each in expectations]
        Expectation.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["org", "name"],
            update_fields=[
                "labels",
                "namespace",
                "priority",
                "requests",
                "queue",
                "effective_priority",
                "author",
            ],
        )
        count = Expectation.objects.filter(org=org).count()
        if count > MOST_EXPECTATIONS:
            raise Conflict(
                "too_many_expectations",
                f"An organization keeps {MOST_EXPECTATIONS} expectations; with these it would be "
                f"{count}. Delete some that others cover.",
            )
    names = [each.name for each in expectations]
    found = {row.name: row for row in Expectation.objects.filter(org=actor.org, name__in=names)}
    return [found[name] for name in names]


def keep_expectation(actor: Actor, expected: Expected, number: int | None) -> Expectation:
    """
    Save *expected* as a new one, or in the place of expectation *number*, which takes its name.

    Raises NotAllowed, NotFound, Conflict as `save_expectations` does, and BadRequest when
    another one has the name.
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
        if number is not None:
            mine.filter(pk=number).update(name=expected.name)
        return save_expectations(actor, [expected])[0]


def delete_expectations(actor: Actor, names: Collection[str]) -> int:
    """Delete the expectations called *names*, and return how many there were; or NotAllowed."""
    actor.require(Permission.DRAFT)
    deleted, _ = Expectation.objects.filter(org=actor.org, name__in=names).delete()
    return deleted


def _row(actor: Actor, org: Organization, expected: Expected) -> Expectation:
    workload = expected.workload
    return Expectation(
        org=org,
        name=expected.name,
        labels=dict(workload.labels),
        namespace=workload.namespace,
        priority=workload.priority,
        requests=workload.total(),
        queue=expected.queue,
        effective_priority=expected.priority,
        author=actor.name,
    )
