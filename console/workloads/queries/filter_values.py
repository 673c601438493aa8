"""Values that occur, for the completion of filters of workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Exists, OuterRef

from console.engine.model.reasons import reason_of, registered_reasons
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import Workload
from console.workloads.queries.listing import is_of_class
from console.workloads.queries.waiting import waiting_reasons, waiting_without_queue

#: Number of the newest workloads whose users, projects and labels are offered.
_READ: Final = 200


def workload_values(org: Organization) -> Mapping[str, Sequence[str]]:
    """
    Return the values of filters by parameter.

    Queues and flavors are those of the active config, reasons those of any workload, and other
    values those of the newest workloads. Labels have parameters such as ``label.team``.
    """
    policy = active_policy(org)
    reasons = occurring_reasons(org)
    found: dict[str, dict[str, None]] = {
        "queue": dict.fromkeys(policy.queues),
        "flavor": dict.fromkeys(policy.spec.capacity_names),
        "reason": dict.fromkeys(reasons),
        "reason_class": dict.fromkeys(reason_of(each).reason_class for each in reasons),
    }
    rows = Workload.objects.filter(org=org).order_by("-pk")
    for user, project, labels in rows.values_list("user", "project", "label_set__labels")[:_READ]:
        named = {"user": user, "project": project}
        named |= {f"label.{key}": value for key, value in labels.items()}
        for name, value in named.items():
            if value:
                found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}


def occurring_reasons(org: Organization) -> list[str]:
    """Return the reasons that workloads have, in the order in which reasons are registered."""
    pending = {*waiting_reasons(org), *waiting_without_queue(org)}
    # One statement, with one access to an index for each reason.
    known = [each for each in registered_reasons() if not is_of_class(each)]
    with_reason = Workload.objects.filter(org=OuterRef("pk"))
    found = (
        Organization.objects.filter(pk=org.pk)
        .values_list(*(Exists(with_reason.filter(reason=each)) for each in known))
        .get()
    )
    others = {reason for reason, exists in zip(known, found, strict=True) if exists}
    in_order = [each for each in registered_reasons() if each in pending | others]
    return [*in_order, *sorted(pending.difference(in_order))]
