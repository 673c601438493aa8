"""The signal of changed clusters, for apps that record changes or decide about capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.dispatch import Signal


class ChangeKind(StrEnum):
    """What happened to a cluster."""

    REGISTERED = "registered"
    CHANGED = "changed"
    SILENT = "silent"
    RETURNED = "returned"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """One change of a cluster; *facts* are small JSON values, such as numbers of nodes."""

    kind: ChangeKind
    facts: Mapping[str, Any] = field(default_factory=dict)


#: Sent in the transaction of the changes, with `org_id`, `cluster` (the name), `actor` (the name of
#: a person or token, or None), `changes` (ClusterChange, in order) and `concerns_engine`: whether
#: decisions may depend on the changes.
cluster_changed = Signal()
