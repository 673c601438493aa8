"""Usage of nodes by the running workloads whose pods are bound to them, from the worker's rows."""

from __future__ import annotations

import json

from console.engine.live.node_usage import NodeKey
from console.orgs.models import Organization
from console.workloads.models import NodeUsage
from console.workloads.stored_texts import as_text


def node_usage_of(org: Organization, cluster: str | None = None) -> dict[NodeKey, dict[str, int]]:
    """
    Return the usage of each node, in thousandths by resource; nodes without usage are absent.

    With *cluster*, only the nodes of that cluster are read.
    """
    rows = NodeUsage.objects.filter(org=org)
    if cluster is not None:
        rows = rows.filter(cluster=cluster)
    # Read as the stored text: a converter for thousands of rows takes longer.
    columns = ("cluster", "node", as_text("used"))
    return {(name, node): json.loads(used) for name, node, used in rows.values_list(*columns)}
