"""Signal receivers: the engine row of each new organization, and changes of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.dispatch import receiver

from console.bulk import insert_objects
from console.capacity.signals import ChangeKind, ClusterChange, cluster_changed
from console.orgs.models import Organization
from console.orgs.signals import org_created
from console.workloads.models import Engine, Event, EventType, Intake, Level
from console.workloads.services.write_intake import write_intake

_EVENTS: Final = {
    ChangeKind.REGISTERED: EventType.CLUSTER_REGISTERED,
    ChangeKind.CHANGED: EventType.CLUSTER_CHANGED,
    ChangeKind.SILENT: EventType.CLUSTER_SILENT,
    ChangeKind.RETURNED: EventType.CLUSTER_RETURNED,
    ChangeKind.DELETED: EventType.CLUSTER_DELETED,
}


@receiver(org_created)
def create_engine(org: Organization, **_: Any) -> None:
    """Create the engine row of a new organization."""
    Engine.objects.create(org=org)


@receiver(cluster_changed)
def take_in_cluster(
    org_id: int,
    cluster: str,
    actor: str | None,
    changes: Iterable[ClusterChange],
    concerns_engine: bool,
    **_: Any,
) -> None:
    """Write an event for each change of a cluster, and a request to the engine if it matters."""
    events = [
        Event(
            org_id=org_id,
            type=_EVENTS[change.kind],
            level=Level.WARNING if change.kind is ChangeKind.SILENT else Level.INFO,
            actor=actor or "engine",
            data={"cluster": cluster, **change.facts},
        )
        for change in changes
    ]
    insert_objects(events).run()
    if concerns_engine:
        write_intake(org_id, Intake.Kind.CAPACITY, {"cluster": cluster})
