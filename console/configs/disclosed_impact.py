"""Disclosure of impact results: hides the preemptors and users that a reader may not see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.orgs.permissions import Actor, Permission
from console.workloads.disclosure import Disclosed, disclose


def impact_for_reader(actor: Actor, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    Return *result* with placeholders for the preemptors that *actor* may not see, and no users.

    An editor starts a run, and every member can read it: all members see the effect on a workload,
    but only members who may see both workloads see the preemptor, and the users of recorded ones.
    """
    if actor.may(Permission.READ_NAMES):
        return result
    live = result["live"]
    lines = [line for group in live["outcomes"] for line in group["first"]]
    disclosed = disclose(actor, (line["preemptor"]["id"] for line in lines if line["preemptor"]))
    outcomes = [
        {**group, "first": [_line(line, disclosed) for line in group["first"]]}
        for group in live["outcomes"]
    ]
    history = result["history"]
    rows = [{**row, "user": "", "groups": []} for row in history["rows"]]
    return {
        **result,
        "live": {**live, "outcomes": outcomes},
        "history": {**history, "rows": rows},
    }


def _line(line: Mapping[str, Any], disclosed: Disclosed) -> Mapping[str, Any]:
    other = line["preemptor"]
    if other is None or other["id"] not in disclosed.hidden:
        return line
    return {**line, "preemptor": {"id": None, "name": disclosed.names[other["id"]]}}
