"""Task groups in annotations: pods of which a minimum starts together."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from console.dialects.findings import Findings, Place
from console.dialects.pods import toleration_of
from console.dialects.quantity import amount_of
from console.dialects.wording import quote, shorten
from console.dialects.written import Written
from console.dialects.yunikorn.job_codes import BAD_POLICY, BAD_TASK_GROUPS
from console.engine.disciplines.hierarchy.requests import HARD
from console.engine.model.amounts import Unlimited, amount_to_number

GROUPS: Final = "yunikorn.apache.org/task-groups"
GROUP_NAME: Final = "yunikorn.apache.org/task-group-name"
PARAMETERS: Final = "yunikorn.apache.org/schedulingPolicyParameters"
_TIMEOUT: Final = "placeholderTimeoutInSeconds"
_STYLE: Final = "gangSchedulingStyle"
_SOFT: Final = "Soft"
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_MOST_GROUPS: Final = 100
_MOST_MEMBERS: Final = 1_000_000
_FORM: Final = 'Write [{"name": "workers", "minMember": 2, "minResource": {"cpu": "1"}}].'


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Pods that are alike, of which a minimum starts together with those of other groups."""

    name: str
    least: int
    #: Thousandths by resource.
    requests: Mapping[str, int]
    constraints: Mapping[str, Any]
    place: Place

    def fields(self) -> dict[str, Any]:
        """Return the fields of a pod set of its minimum of pods."""
        requests = {name: amount_to_number(each) for name, each in sorted(self.requests.items())}
        counts = {"count": self.least, "min_count": self.least}
        return {"name": self.name, **counts, "requests": requests, **self.constraints}


@dataclass(frozen=True, slots=True)
class Gang:
    """The task groups of a workload."""

    #: The group of the pods of the manifest itself.
    own: TaskGroup
    others: tuple[TaskGroup, ...]
    place: Place
    #: How and how long it waits, as the engine reads it.
    facts: dict[str, Any] = field(default_factory=dict)


def read_gang(annotations: Mapping[str, Written[str]], findings: Findings) -> Gang | None:
    """Return the task groups that annotations state; None without them, or after a finding."""
    stated, name = annotations.get(GROUPS), annotations.get(GROUP_NAME)
    if stated is None:
        if name is not None:
            message = f"{GROUP_NAME} needs {GROUPS} beside it."
            findings.add(BAD_TASK_GROUPS, name.place, message, "Add the groups to this manifest.")
        return None
    groups = _groups(stated, findings)
    if not groups:
        return None
    own = name.value if name is not None else next(iter(groups))
    if own not in groups:
        message = f"There is no task group {quote(own)} in {GROUPS}."
        findings.add(BAD_TASK_GROUPS, name.place if name else stated.place, message)
        return None
    others = tuple(each for each in groups.values() if each.name != own)
    return Gang(groups[own], others, stated.place, _facts(annotations.get(PARAMETERS), findings))


def _groups(stated: Written[str], findings: Findings) -> dict[str, TaskGroup]:
    try:
        values = json.loads(stated.value)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not values or len(values) > _MOST_GROUPS:
        message = f"{GROUPS} is not a JSON list of up to {_MOST_GROUPS} groups."
        findings.add(BAD_TASK_GROUPS, stated.place, message, _FORM)
        return {}
    found: dict[str, TaskGroup] = {}
    for index, value in enumerate(values):
        group = _group(value, stated.place)
        if isinstance(group, TaskGroup) and group.name not in found:
            found[group.name] = group
            continue
        problem = group if isinstance(group, str) else "its name occurs twice"
        message = f"Task group {index + 1} cannot be read: {problem}."
        findings.add(BAD_TASK_GROUPS, stated.place, message, _FORM)
        return {}
    return found


def _group(value: Any, place: Place) -> TaskGroup | str:
    """Return a group, or why it cannot be read."""
    if not isinstance(value, dict):
        return "it is not an object"
    name, least = value.get("name"), value.get("minMember")
    if not isinstance(name, str) or not name.strip():
        return "it has no name"
    if type(least) is not int or not 0 < least <= _MOST_MEMBERS:
        return "minMember is not a whole number above 0"
    resources = value.get("minResource") or {}
    if not isinstance(resources, dict):
        return "minResource is not an object"
    requests: dict[str, int] = {}
    for resource, text in resources.items():
        try:
            amount = amount_of(str(text), resource)
        except ValueError:
            amount = -1
        if isinstance(amount, Unlimited) or amount < 0:
            return f"{shorten(resource)} is not a quantity"
        requests[resource] = amount
    selector, tolerations = value.get("nodeSelector") or {}, value.get("tolerations") or []
    if not isinstance(selector, dict) or not all(
        isinstance(each, str) for each in selector.values()
    ):
        return "nodeSelector is not an object of texts"
    if not isinstance(tolerations, list) or not all(isinstance(each, dict) for each in tolerations):
        return "tolerations is not a list of objects"
    constraints: dict[str, Any] = {}
    if selector:
        constraints["node_selector"] = selector
    if tolerations:
        constraints["tolerations"] = [toleration_of(each) for each in tolerations]
    return TaskGroup(name, least, requests, constraints, place)


def _facts(stated: Written[str] | None, findings: Findings) -> dict[str, Any]:
    """Return how and how long the gang waits, and report parameters that are not read."""
    facts: dict[str, Any] = {}
    for part in stated.value.split() if stated is not None else ():
        key, _, value = part.partition("=")
        if key == _TIMEOUT and _WHOLE.fullmatch(value):
            facts["timeout"] = int(value)
        elif key == _STYLE and value in (_SOFT, HARD):
            facts["style"] = value
        elif stated is not None:
            message = f"{quote(part)} is not read."
            hint = f"Write {_TIMEOUT}=600 {_STYLE}={HARD}."
            findings.add(BAD_POLICY, stated.place, message, hint)
    return facts
