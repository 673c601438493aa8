"""Tags of an application that set the amounts of the dynamic queue that it is placed in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.hierarchy.properties import read_count
from console.engine.disciplines.hierarchy.resources import Resources

QUOTA_TAG: Final = "namespace.resourcequota"
GUARANTEED_TAG: Final = "namespace.resourceguaranteed"
APPLICATIONS_TAG: Final = "namespace.resourcemaxapps"

_MOST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaTags:
    """The amounts in the tags of an application; None: there is no such tag, or it has no value."""

    maximum: Resources | None = None
    guaranteed: Resources | None = None
    applications: int | None = None


def read_quota_tags(tags: Mapping[str, str]) -> QuotaTags:
    """
    Return the amounts in *tags*; texts that are no amounts count as absent.

    >>> read_quota_tags({QUOTA_TAG: '{"resources": {"vcore": {"value": 5000}}}'}).maximum
    {'vcore': 5000}
    """
    return QuotaTags(
        maximum=_resources(tags.get(QUOTA_TAG)),
        guaranteed=_resources(tags.get(GUARANTEED_TAG)),
        applications=read_count(tags.get(APPLICATIONS_TAG, "")) or None,
    )


def _resources(text: str | None) -> Resources | None:
    if not text:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    stated = document.get("resources") if isinstance(document, dict) else None
    if not isinstance(stated, dict):
        return None
    found = {}
    for name, quantity in stated.items():
        value = quantity.get("value", 0) if isinstance(quantity, dict) else None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
            return None
        found[name] = value
    return found or None
