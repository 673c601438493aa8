"""Schemas that every noun uses: problems, pages and their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from console.engine.model.reasons import registered_reasons
from console.exports import FORMATS, MARKDOWN_TYPE, MEDIA_TYPES

PROBLEM_TYPE = "application/problem+json"


class Schema(serializers.Serializer[Any]):
    """The shape of a JSON object."""


class FieldProblem(Schema):
    """One field that cannot be read."""

    path = serializers.CharField(help_text="Where: `workloads[3].requests.gpu`.")
    code = serializers.CharField(help_text="Which rule, as a stable code.")
    message = serializers.CharField(help_text="One sentence that says what to do.")


class Problem(Schema):
    """What went wrong, as RFC 9457 writes it."""

    type = serializers.CharField(help_text="`urn:sluice:problem:` and the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="One sentence for the person who asked.")
    code = serializers.CharField(help_text="Stable; see the error catalogue.")
    errors = FieldProblem(  # type: ignore[assignment]
        many=True, required=False, help_text="The fields that are wrong."
    )
    renamed_to = serializers.CharField(
        required=False, help_text="What the queue or cohort is called now; send it there."
    )


class ReasonCode(serializers.ChoiceField):
    """
    The code of a reason.

    Those of the installed schedulers are listed; what older rows have is answered as it is.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__([str(reason) for reason in registered_reasons()], **options)


class Range(Schema):
    """A span of the config text; lines and columns count from 1, in code points."""

    line = serializers.IntegerField()
    column = serializers.IntegerField()
    end_line = serializers.IntegerField()
    end_column = serializers.IntegerField(help_text="Behind the last character.")


LIMIT = OpenApiParameter(
    "limit", OpenApiTypes.INT, description="Rows at most, 1 to 1000; 50 when absent."
)
CURSOR = OpenApiParameter(
    "cursor", OpenApiTypes.STR, description="The `next` of the page before; absent for the first."
)
PAGED = [LIMIT, CURSOR]
EXPORT = OpenApiParameter(
    "as",
    OpenApiTypes.STR,
    enum=FORMATS,
    description="Answer with all rows as a file, CSV or one JSON object for each line, instead of "
    "one page; `limit` and `cursor` do not count then.",
)

JSON_TYPE = "application/json"

_PROBLEMS: Mapping[int, str] = {
    400: "The request cannot be read; `errors` names every field that is wrong.",
    401: "No token or session, or one that is not valid.",
    403: "The role does not include it, or the CSRF token of a session is missing.",
    404: "No such organization for you, or no such thing in it.",
    409: "It does not fit the present state; nothing was changed.",
    413: "The body is larger than 8 MiB.",
    415: "The body is not `application/json`.",
    422: "The config has errors; nothing was applied.",
    429: "The token makes more requests than it may, or as many expensive questions are under way "
    "as may be; `Retry-After` says in how many seconds to send it again.",
    503: "The database does not answer or is full; try again after `Retry-After` seconds.",
}


def problems(*statuses: int) -> dict[tuple[int, str], Any]:
    """Return the responses for *statuses*, and for those that every endpoint may give."""
    every = sorted({400, 401, 403, 404, 429, 503, *statuses})
    return {
        (status, PROBLEM_TYPE): OpenApiResponse(Problem, description=_PROBLEMS[status])
        for status in every
    }


def or_files(answer: Any) -> dict[Any, Any]:
    """Return the responses of what gives *answer*, or with `as` all rows as a file."""
    files = (each.partition(";")[0] for each in MEDIA_TYPES.values())
    return {(200, JSON_TYPE): answer} | {(200, each): OpenApiTypes.STR for each in files}


def or_markdown(answer: Any) -> dict[Any, Any]:
    """Return the responses of what gives *answer*, or with `as` a text to paste."""
    return {(200, JSON_TYPE): answer, (200, MARKDOWN_TYPE.partition(";")[0]): OpenApiTypes.STR}


def query(name: str, description: str, **options: Any) -> OpenApiParameter:
    """Return a text parameter of the query string."""
    return OpenApiParameter(name, OpenApiTypes.STR, description=description, **options)


def example(name: str, value: Any, *, request: bool = False) -> OpenApiExample:
    """Return an example of an answer, or of a *request*."""
    return OpenApiExample(name, value=value, request_only=request, response_only=not request)


def page_of(row: type[Schema], name: str) -> type[Schema]:
    """Return the schema of one page of a list of *row*, called *name*."""
    fields = {
        "__doc__": "One page of a list.",
        "results": row(many=True),
        "next": serializers.CharField(
            allow_null=True,
            help_text="The cursor of the next page; null on the last. A filtered page may be "
            "short or empty and still have a next one.",
        ),
    }
    return type(name, (Schema,), fields)
