"""Labels of recent workloads, for completion in forms."""

from __future__ import annotations

from console.orgs.models import Organization
from console.workloads.models import LabelSet

#: Maximum number of label sets that are read, the newest, and of returned keys and values.
_LOOKED_AT, _KEYS, _VALUES = 300, 100, 50


def seen_labels(org: Organization) -> dict[str, tuple[str, ...]]:
    """Return keys and values of labels in the newest label sets of *org*, both sorted."""
    seen: dict[str, dict[str, None]] = {}
    newest = LabelSet.objects.filter(org=org).order_by("-pk")
    for labels in newest.values_list("labels", flat=True)[:_LOOKED_AT]:
        for key, value in labels.items():
            seen.setdefault(key, {})[value] = None
    return {key: tuple(sorted(seen[key])[:_VALUES]) for key in sorted(seen)[:_KEYS]}
