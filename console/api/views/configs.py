"""Configs: check and apply texts, list and compare versions, and roll back."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.configs import (
    change_answer,
    codes_url,
    diff_row_answer,
    findings_answer,
    version_answer,
    version_answers,
)
from console.api.base import PAGING, OrgView, results
from console.api.config_text import read_config
from console.api.schemas import configs as schemas
from console.api.schemas.common import CURSOR, PAGED, PROBLEM_TYPE, example, problems, query
from console.api.terms import TERMS, read_terms
from console.configs.changelog import KINDS, VersionFilter, read_log
from console.configs.models import ConfigVersion
from console.configs.services.apply_config import apply_config
from console.configs.services.check_config import find_dialect
from console.configs.services.lint_config import Checked, lint_config
from console.configs.services.roll_back import roll_back
from console.dialects import default_dialect
from console.dialects.objects import compare_policies, shared_vocabulary
from console.engine.diff import text_diff
from console.errors import BadRequest, FieldError, NotFound
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.paging import MAX_LIMIT, read_cursor, write_cursor
from console.policies.queries import (
    NO_POLICY,
    active_number,
    active_version,
    get_version,
    policy_of,
)
from console.reading import LARGEST_INTEGER, Reader

_TAG = ["config"]
_FILTERS = ("author", "kind", "object", "name", "since", "until")

#: Maximum number of changes in the response for one version; a comparison has all of them.
MOST_CHANGES = 1_000

#: Responses of every apply.
APPLIED = {
    200: OpenApiResponse(
        schemas.AppliedVersion,
        description="The active version already has this text; nothing was applied.",
    ),
    201: OpenApiResponse(schemas.AppliedVersion, description="A new version is active."),
}
STALE = {
    (409, PROBLEM_TYPE): OpenApiResponse(
        schemas.StaleProblem,
        description="Another version is active; `newer` lists the versions since the expected one.",
    )
}
REJECTED = {
    (422, PROBLEM_TYPE): OpenApiResponse(
        schemas.RejectedProblem,
        description="The text has errors, or consequences that were not accepted; nothing was "
        "applied.",
    )
}


class ActiveConfig(OrgView):
    """The active version."""

    @extend_schema(
        operation_id="get_config",
        summary="Get the active config",
        responses={200: schemas.Version, **problems()},
        examples=[example("The first version", schemas.EXAMPLE_VERSION)],
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the active version; 404 before the first apply."""
        version = active_version(self.actor.org)
        if version is None:
            raise NotFound(
                f"{self.actor.org.slug} has no config yet; apply one with expected_version 0."
            )
        return Response(_version_with_text(version, version.number))


class ConfigCheck(OrgView):
    """Diagnostics of a config text."""

    @extend_schema(
        operation_id="check_config",
        summary="Check a config",
        description="Returns errors of a text, including conflicts with queue specs of earlier "
        "versions, and warnings that take running workloads and the submissions of the last "
        "30 days into account. Nothing is stored.",
        request=schemas.ConfigText,
        responses={200: schemas.ConfigCheck, **problems(413, 415)},
        examples=[example("A text", {"text": schemas.EXAMPLE_TEXT}, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Check a config."""
        reader, fields = self.fields(request, ("dialect", "text"), required=("text",))
        dialect, text = read_config(reader, fields)
        reader.finish()
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            checked = lint_config(self.actor, dialect, text)
        findings = findings_answer(checked.findings, codes_url(request, self.actor.org))
        return Response({"ok": checked.reading.ok, **findings})


class ConfigVersions(OrgView):
    """Config versions."""

    parameters = (*_FILTERS, *PAGING)
    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="list_versions",
        summary="List versions",
        description="Newest first, without texts.",
        parameters=[
            query("author", "Author of the version."),
            query("kind", f"Kind of the version: {', '.join(KINDS)}.", enum=list(KINDS)),
            query("object", "Kind of a changed object.", enum=shared_vocabulary().kinds),
            query(
                "name",
                "Name of a changed object, current or before a rename. For a rule, the name of "
                "its queue.",
            ),
            query("since", "Start of the time range, inclusive; a date is a day in UTC."),
            query("until", "End of the time range, exclusive; a date includes the whole day."),
            *PAGED,
        ],
        responses={200: schemas.VersionPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List versions."""
        org = self.actor.org
        asked = request.query_params
        chosen = VersionFilter.from_query(asked, "object")
        page = read_log(org, chosen, self.limit(request), asked.get("cursor")).page
        active = active_number(org)
        return results(version_answers(org, page.results, active=active), page.next)

    @extend_schema(
        operation_id="apply_config",
        summary="Apply a config",
        description="Creates a version from a text and activates it, if `expected_version` is "
        "still active. Pending workloads are routed again; running workloads continue. With "
        "`accept`, every consequence has to be accepted by its code. If the active version "
        "already has this text, nothing is applied and the response is 200 with that version.",
        request=schemas.ConfigApply,
        responses={**APPLIED, **problems(413, 415), **STALE, **REJECTED},
        examples=[
            example("The first config", schemas.EXAMPLE_APPLY, request=True),
            example("The version", schemas.EXAMPLE_APPLIED),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Apply a config."""
        reader, fields = self.fields(
            request,
            ("dialect", "text", "message", "expected_version", *TERMS),
            required=("text", "expected_version"),
        )
        dialect, text = read_config(reader, fields)
        message = reader.text(fields.get("message"), "message", 500)
        expected = _integer(reader, fields, "expected_version")
        terms = read_terms(reader, fields)
        reader.finish()
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            checked = lint_config(self.actor, dialect, text)
            version = apply_config(
                self.actor,
                dialect,
                text,
                message,
                expected,
                accept=terms.accept,
                revert_after=terms.revert_after,
            )
            return applied_response(request, version, checked, expected)


class OneVersion(OrgView):
    """One version."""

    @extend_schema(
        operation_id="get_version",
        summary="Get a version",
        responses={200: schemas.Version, **problems()},
        examples=[example("The first version", schemas.EXAMPLE_VERSION)],
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a version with its text and its changes."""
        org = self.actor.org
        return Response(_version_with_text(get_version(org, number), active_number(org)))


class VersionDiff(OrgView):
    """A comparison of two versions."""

    parameters = ("to", *PAGING)

    @extend_schema(
        operation_id="compare_versions",
        summary="Compare two versions",
        description="Returns a text diff and the changes in meaning, which ignore comments and "
        "layout. A page has up to `limit` rows and up to `limit` changes; `next` is the cursor "
        "of the next page.",
        parameters=[
            query("to", "The other version. Default: the active version."),
            OpenApiParameter(
                "limit",
                int,
                description=f"Maximum number of rows and of changes. Default: {MAX_LIMIT}.",
            ),
            CURSOR,
        ],
        responses={200: schemas.VersionDiff, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Compare two versions."""
        org = self.actor.org
        # The cursor contains the other version: the active one can change between two pages.
        begun, start = read_cursor(request.query_params.get("cursor"), 2) or (0, 0)
        other = self.number(request, "to", begun or active_number(org), 1, LARGEST_INTEGER)
        if begun and begun != other:
            message = (
                "This cursor belongs to a comparison with another version; send the request "
                "without it."
            )
            raise BadRequest([FieldError("cursor", "invalid_cursor", message)])
        end = start + self.number(request, "limit", MAX_LIMIT, 1, MAX_LIMIT)
        old, new = get_version(org, number), get_version(org, other)
        size = len(old.text) + len(new.text)
        with expensive(Kind.COMPARE, org.pk, self.actor.key, size=size):
            rows = text_diff(old.text, new.text)
            changes = compare_policies(policy_of(old), policy_of(new))
            return Response(
                {
                    "from": old.number,
                    "to": new.number,
                    "text": [diff_row_answer(row) for row in rows[start:end]],
                    "text_total": len(rows),
                    "changes": [change_answer(change) for change in changes[start:end]],
                    "changes_total": len(changes),
                    "next": write_cursor(other, end)
                    if end < max(len(rows), len(changes))
                    else None,
                }
            )


class ConfigRollback(OrgView):
    """Rolls back to an old version."""

    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="roll_back",
        summary="Roll back",
        description="Creates a new version from the text of an old one, if `expected_version` is "
        "still active. `accept` and the response 200 are the same as for apply.",
        request=schemas.ConfigRollback,
        responses={**APPLIED, **problems(413, 415), **STALE, **REJECTED},
        examples=[
            example(
                "Roll back to the first version",
                {"version": 1, "expected_version": 4},
                request=True,
            ),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Roll back."""
        reader, fields = self.fields(
            request,
            ("version", "expected_version", "message", *TERMS),
            required=("version", "expected_version"),
        )
        number = _integer(reader, fields, "version")
        expected = _integer(reader, fields, "expected_version")
        message = reader.text(fields.get("message"), "message", 500)
        terms = read_terms(reader, fields)
        reader.finish()
        old = get_version(self.actor.org, number)
        checked = lint_config(self.actor, old.dialect, old.text)
        version = roll_back(
            self.actor,
            number,
            expected,
            message,
            accept=terms.accept,
            revert_after=terms.revert_after,
        )
        return applied_response(request, version, checked, expected)


class ConfigSchema(OrgView):
    """The JSON Schema of a config language."""

    parameters = ("dialect",)

    @extend_schema(
        operation_id="get_config_schema",
        summary="Get the JSON Schema of configs",
        description="For completion and hover texts in editors.",
        parameters=[query("dialect", schemas.DIALECT)],
        responses={200: OpenApiTypes.OBJECT, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the JSON Schema of configs."""
        name = request.query_params.get("dialect") or default_dialect().name
        return Response(find_dialect(name).schema())


def _integer(reader: Reader, fields: Any, name: str) -> int:
    return reader.integer(fields[name], name) if name in fields else 0


def applied_response(
    request: Request, version: ConfigVersion, checked: Checked, expected: int
) -> Response:
    """Return the response to an apply on version *expected*, with the warnings of *checked*."""
    is_new = version.number != expected
    findings = findings_answer(checked.findings, codes_url(request, version.org))
    body = {
        **_version_with_text(version, version.number),
        "is_new": is_new,
        "lints": findings["lints"],
    }
    return Response(body, status=201 if is_new else 200)


def _version_with_text(version: ConfigVersion, active: int) -> dict[str, Any]:
    """Return a version with its text and its changes since the previous version."""
    before = get_version(version.org, version.number - 1) if version.number > 1 else None
    old = policy_of(before) if before else NO_POLICY
    changes = compare_policies(old, policy_of(version))
    return {
        **version_answer(version, active=active),
        "text": version.text,
        "changes": [change_answer(change) for change in changes[:MOST_CHANGES]],
        "changes_total": len(changes),
    }
