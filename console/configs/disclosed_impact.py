"""The stored answer of an impact run as one reader may know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.orgs.permissions import Actor, Permission
from console.workloads.disclosure import Disclosed, disclose


def impact_for_reader(actor: Actor, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    Return *result*, in which those for whom others would stop are named as *actor* may know them.

    A run is found by somebody who drafts configs, and read by every member: what would happen
    to a workload is told to all, who else would gain by it only to whoever may judge both.
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
    return {**result, "live": {**live, "outcomes": outcomes}}


def _line(line: Mapping[str, Any], disclosed: Disclosed) -> Mapping[str, Any]:
    other = line["preemptor"]
    if other is None or other["id"] not in disclosed.hidden:
        return line
    return {**line, "preemptor": {"id": None, "name": disclosed.names[other["id"]]}}
