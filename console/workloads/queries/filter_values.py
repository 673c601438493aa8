"""Values that occur, for the completion of filters of workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import Workload

#: Number of the newest workloads whose users, projects and labels are offered.
_READ: Final = 200


def workload_values(org: Organization) -> Mapping[str, Sequence[str]]:
    """
    Return the values of filters by parameter: those of the active config and the newest workloads.

    Labels have parameters such as ``label.team``.
    """
    policy = active_policy(org)
    found: dict[str, dict[str, None]] = {
        "queue": dict.fromkeys(policy.queues),
        "flavor": dict.fromkeys(policy.spec.capacity_names),
    }
    rows = Workload.objects.filter(org=org).order_by("-pk")
    for user, project, labels in rows.values_list("user", "project", "label_set__labels")[:_READ]:
        named = {"user": user, "project": project}
        named |= {f"label.{key}": value for key, value in labels.items()}
        for name, value in named.items():
            if value:
                found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}
