"""The placement rules of a partition, with those that apply without being written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.shapes import present
from console.engine.disciplines.hierarchy.runtime_queue import RECOVERY_PATH
from console.engine.disciplines.hierarchy.spec import (
    ROOT,
    Filter,
    Names,
    PlacementRule,
    RuleKind,
)


class PlacementRules(SchedulerView):
    """The rules that find the queue of an application."""

    def get(self, request: Request, partition: str) -> Response:
        """List the rules in their order."""
        stated = self.partition(partition).rules or (PlacementRule(kind=RuleKind.PROVIDED),)
        recovery = PlacementRule(kind=RuleKind.RECOVERY)
        return Response([_rule(each) for each in (*stated, recovery)])


def _rule(rule: PlacementRule) -> dict[str, Any]:
    return {
        "name": rule.kind.value,
        "parameters": _parameters(rule),
        **present(
            filter=_filter(rule.filter), parentRule=_rule(rule.parent) if rule.parent else None
        ),
    }


def _parameters(rule: PlacementRule) -> dict[str, str]:
    create = _flag(is_set=rule.creates)
    match rule.kind:
        case RuleKind.RECOVERY:
            return {"queue": RECOVERY_PATH}
        case RuleKind.FIXED:
            qualified = _flag(is_set=rule.value.startswith(ROOT))
            return {"queue": rule.value, "create": create, "qualified": qualified}
        case RuleKind.TAG:
            return {"tagName": rule.value.lower(), "create": create}
        case _:
            return {"create": create}


def _filter(stated: Filter) -> dict[str, Any] | None:
    if not (stated.stated_users or stated.stated_groups):
        return None
    return {
        "type": "deny" if stated.is_deny else "allow",
        **present(
            userList=sorted(stated.users.names),
            groupList=sorted(stated.groups.names),
            userExp=_expression(stated.users, stated.stated_users),
            groupExp=_expression(stated.groups, stated.stated_groups),
        ),
    }


def _expression(names: Names, stated: Sequence[str]) -> str:
    return stated[0] if names.expression is not None else ""


def _flag(*, is_set: bool) -> str:
    return "true" if is_set else "false"
