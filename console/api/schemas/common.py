"""Schemas shared by all endpoints: problems, pages and their parameters."""

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
    """One invalid field of a request."""

    path = serializers.CharField(
        help_text="Path of the field, such as `workloads[3].requests.gpu`."
    )
    code = serializers.CharField(help_text="Stable code of the violated rule.")
    message = serializers.CharField(
        help_text="One sentence that says what is wrong and how to repair it."
    )


class Problem(Schema):
    """An error in the format of RFC 9457."""

    type = serializers.CharField(help_text="`urn:sluice:problem:` followed by the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="One sentence about this error, for people.")
    code = serializers.CharField(help_text="Stable code, listed in the error catalogue.")
    errors = FieldProblem(  # type: ignore[assignment]
        many=True, required=False, help_text="The invalid fields."
    )
    renamed_to = serializers.CharField(
        required=False,
        help_text="The current name of the queue or cohort; repeat the request with it.",
    )


class ReasonCode(serializers.ChoiceField):
    """
    The code of a reason.

    The schema lists the codes of the installed schedulers. Codes of older rows are returned
    unchanged.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__([str(reason) for reason in registered_reasons()], **options)


class Range(Schema):
    """A span of the config text. Lines and columns count from 1, in code points."""

    line = serializers.IntegerField()
    column = serializers.IntegerField()
    end_line = serializers.IntegerField()
    end_column = serializers.IntegerField(help_text="Column after the last character.")


LIMIT = OpenApiParameter(
    "limit", OpenApiTypes.INT, description="Maximum number of rows, 1 to 1000. Default: 50."
)
CURSOR = OpenApiParameter(
    "cursor",
    OpenApiTypes.STR,
    description="The `next` of the previous page; absent for the first page.",
)
PAGED = [LIMIT, CURSOR]
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="1 to 150 printable ASCII characters, unique for each request.",
)
EXPORT = OpenApiParameter(
    "as",
    OpenApiTypes.STR,
    enum=FORMATS,
    description="Return all rows as a file instead of one page: CSV, or one JSON object per line. "
    "`limit` and `cursor` are ignored.",
)

JSON_TYPE = "application/json"

_PROBLEMS: Mapping[int, str] = {
    400: "The request is invalid; `errors` lists every invalid field.",
    401: "The token or session is missing or invalid.",
    403: "The role does not permit this action, or the CSRF token of a session is missing.",
    404: "The organization or the object does not exist, or you are not a member of the "
    "organization.",
    409: "The request conflicts with the current state; nothing was changed.",
    413: "The body is larger than 8 MiB.",
    415: "The endpoint does not accept the content type of the body, or the body is compressed.",
    422: "The config has errors; nothing was applied.",
    429: "The token exceeds its rate limit, or the limit of expensive requests in progress is "
    "reached. Repeat the request after the number of seconds in `Retry-After`.",
    503: "The database does not answer, or its disk is full. Repeat the request after "
    "`Retry-After` seconds.",
}


def problems(*statuses: int) -> dict[tuple[int, str], Any]:
    """Return the error responses of an endpoint: *statuses*, and those common to all endpoints."""
    every = sorted({400, 401, 403, 404, 429, 503, *statuses})
    return {
        (status, PROBLEM_TYPE): OpenApiResponse(Problem, description=_PROBLEMS[status])
        for status in every
    }


def or_files(answer: Any) -> dict[Any, Any]:
    """Return the success responses of a list: *answer*, or all rows as a file with `as`."""
    files = (each.partition(";")[0] for each in MEDIA_TYPES.values())
    return {(200, JSON_TYPE): answer} | {(200, each): OpenApiTypes.STR for each in files}


def or_markdown(answer: Any) -> dict[Any, Any]:
    """Return the success responses of an endpoint: *answer*, or Markdown with `as`."""
    return {(200, JSON_TYPE): answer, (200, MARKDOWN_TYPE.partition(";")[0]): OpenApiTypes.STR}


def query(name: str, description: str, **options: Any) -> OpenApiParameter:
    """Return a text parameter of the query string."""
    return OpenApiParameter(name, OpenApiTypes.STR, description=description, **options)


def example(name: str, value: Any, *, request: bool = False) -> OpenApiExample:
    """Return an example of a response, or of a *request*."""
    return OpenApiExample(name, value=value, request_only=request, response_only=not request)


def simulated_until_field() -> serializers.DateTimeField:
    """Return the field of the end of simulated history."""
    return serializers.DateTimeField(
        allow_null=True,
        help_text="End of the simulated history of a demo: decisions, events and usage before it "
        "were generated. Null in every other organization.",
    )


def page_of(row: type[Schema], name: str) -> type[Schema]:
    """Return the schema called *name* for one page of a list of *row*."""
    fields = {
        "__doc__": "One page of a list.",
        "results": row(many=True),
        "next": serializers.CharField(
            allow_null=True,
            help_text="The cursor of the next page; null on the last page. A filtered page can be "
            "short or empty and still have a next page.",
        ),
    }
    return type(name, (Schema,), fields)
