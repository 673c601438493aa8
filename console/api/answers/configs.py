"""Response bodies of config versions, diagnostics and differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.urls import reverse
from rest_framework.request import Request

from console.api.answers.times import time_answer
from console.configs.models import ConfigVersion, RevertTimer, ScheduledChange
from console.configs.stored_changes import encode_detail
from console.configs.temporary_changes import schedules_of
from console.dialects.diagnostics import Diagnostic, Severity, span_to_json
from console.engine.diff import Change, Detail, DiffRow, QuotaChange
from console.engine.model.amounts import amount_to_number
from console.engine.model.origin import Origin
from console.orgs.models import Organization


def version_answers(
    org: Organization, versions: Sequence[ConfigVersion], *, active: int
) -> list[dict[str, Any]]:
    """Return versions without their texts; *active* is the number of the active version."""
    begun, made = schedules_of(org, [version.number for version in versions])
    return [
        _version_answer(
            version,
            active=active,
            begun=begun.get(version.number),
            made=made.get(version.number),
        )
        for version in versions
    ]


def version_answer(version: ConfigVersion, *, active: int) -> dict[str, Any]:
    """Return a version without its text; *active* is the number of the active version."""
    (answer,) = version_answers(version.org, [version], active=active)
    return answer


def _version_answer(
    version: ConfigVersion,
    *,
    active: int,
    begun: ScheduledChange | None,
    made: ScheduledChange | None,
) -> dict[str, Any]:
    temporary = None
    if begun is not None:
        temporary = {
            "scheduled_change": begun.pk,
            "until": time_answer(begun.due_at),
            "state": begun.state,
        }
    return {
        "version": version.number,
        "dialect": version.dialect,
        "message": version.message,
        "kind": version.kind,
        "rolled_back_to": version.rolled_back_to,
        "author": version.author,
        "via": version.via,
        "consequences": version.consequences,
        "effect": version.effect,
        "created_at": time_answer(version.created_at),
        "is_active": version.number == active,
        "temporary": temporary,
        "scheduled_change": made.pk if made else None,
    }


def timer_answer(timer: RevertTimer) -> dict[str, Any]:
    """Return the revert timer of the active version."""
    return {
        "version": timer.version,
        "back_to": timer.back_to,
        "reverts_at": time_answer(timer.due_at),
        "author": timer.author,
        "failed_at": time_answer(timer.failed_at) if timer.failed_at else None,
    }


def codes_url(request: Request, org: Organization) -> str:
    """Return the URL of the documentation of all diagnostic codes."""
    return request.build_absolute_uri(reverse("pages:config-codes", args=[org.slug]))


def findings_answer(found: Iterable[Diagnostic], codes_url: str) -> dict[str, Any]:
    """
    Return the errors and warnings of a text.

    *codes_url* is the URL of the documentation of all codes.
    """
    answers = [(each.severity is Severity.ERROR, each.to_json(codes_url)) for each in found]
    return {
        "diagnostics": [answer for is_error, answer in answers if is_error],
        "lints": [answer for is_error, answer in answers if not is_error],
    }


def change_answer(change: Change) -> dict[str, Any]:
    """Return one changed object with its differences."""
    return {
        "kind": change.kind.value,
        "object": change.noun,
        "name": change.name,
        "old_name": change.old_name or None,
        "parts": list(change.parts),
        "details": [detail_answer(detail) for detail in change.details],
        "range": range_answer(change.origin or change.old_origin),
    }


def detail_answer(detail: Detail) -> dict[str, Any]:
    """Return one difference in an object; `from` or `to` is absent if that quota cell is."""
    match detail:
        case QuotaChange():
            answer: dict[str, Any] = {
                "type": "quota",
                "flavor": detail.flavor,
                "resource": detail.resource,
                "limit": detail.limit.value,
            }
            if detail.old is not None:
                answer["from"] = amount_to_number(detail.old)
            if detail.new is not None:
                answer["to"] = amount_to_number(detail.new)
            return answer
        case _:
            return encode_detail(detail)


def diff_row_answer(row: DiffRow) -> dict[str, Any]:
    """Return one row of a text diff."""
    return {"kind": row.kind.value, "old": row.old, "new": row.new, "text": row.text}


def range_answer(origin: Origin | None) -> dict[str, int] | None:
    """Return the range of *origin* in the text, or None."""
    return span_to_json(origin) if origin else None
