"""Sentences for webhooks about workloads and configs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.engine.wording.reasons import event_sentence, reason_title
from console.engine.wording.words import cut, lower_first, plural

_BECAME = {
    "workload.admitted": ("was admitted", "were admitted"),
    "workload.rejected": ("was rejected", "were rejected"),
    "workload.cannot_run": ("can never run", "can never run"),
    "workload.preempted": ("was preempted", "were preempted"),
}


def workloads_notice(kind: str, reasons: Mapping[str, int], name: str = "") -> str:
    """
    Return the sentence about workloads, counted by reason; a single one may have a *name*.

    >>> workloads_notice("workload.rejected", {"no_rule_matched": 2, "no_flavor_matched": 1})
    '3 workloads were rejected: accepted by no rule (2) and no flavor matched (1)'
    >>> workloads_notice("workload.cannot_run", {"queue_misconfigured": 1}, "train")
    'train can never run: queue misconfigured'
    """
    total = sum(reasons.values())
    one, many = _BECAME[kind]
    words = {code: lower_first(reason_title(code)) for code in reasons}
    if len(words) == 1:
        why = "".join(words.values())
    else:
        by_count = sorted(reasons.items(), key=lambda item: -item[1])
        why = cut(f"{words[code]} ({count})" for code, count in by_count)
    who = name if name and total == 1 else plural(total, "workload")
    return f"{who} {one if total == 1 else many}: {why}"


def config_notice(data: Mapping[str, Any], *, is_revert: bool) -> str:
    """
    Return the sentence about a change of the config, from the data of its event.

    >>> config_notice({"version": 4, "from": 3, "back_to": 2}, is_revert=True)
    'Config version 3 was reverted: version 4 has the text of version 2'
    """
    if not is_revert:
        return event_sentence("CONFIG_UPDATED", data)
    taken_back = f"Config version {data['from']} was reverted"
    return f"{taken_back}: version {data['version']} has the text of version {data.get('back_to')}"


def review_notice(kind: str, data: Mapping[str, Any]) -> str:
    """
    Return the sentence about a review request.

    >>> review_notice("config.approved", {"request": 7, "by": "ann", "title": "More GPUs"})
    'ann approved review request 7: More GPUs'
    """
    request = f"review request {data['request']}"
    title = f": {data['title']}" if data.get("title") else ""
    match kind:
        case "config.approved":
            return f"{data['by']} approved {request}{title}"
        case "config.needs_changes":
            return f"{data['by']} requested changes in {request}{title}"
        case _:
            return f"{data['author']} submitted {request}{title}"
