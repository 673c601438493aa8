"""The rule tester and expectations."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.routing import expectation_answer, met_answer, route_answer
from console.api.base import OrgView
from console.api.config_text import REJECTED, read_config
from console.api.schemas import expectations as expected
from console.api.schemas import routing as schemas
from console.api.schemas.common import example, problems
from console.configs.compiled_configs import (
    CompiledConfig,
    compile_config_text,
    find_compiled_config,
)
from console.configs.queries import expectations_of
from console.configs.read_expectations import (
    LONGEST_NAME,
    MOST_EXPECTATIONS,
    WORKLOAD_FIELDS,
    read_expectations,
    read_tested_workload,
)
from console.configs.services.check_expectations import evaluate_expectations
from console.configs.services.save_expectations import delete_expectations, save_expectations
from console.configs.services.try_route import try_route
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.policies.queries import least_priority
from console.reading import Reader

_CONFIG_FIELDS: Final = ("text", "version", "draft")
_TAG = ["config"]


class ConfigRoute(OrgView):
    """The rule tester: the route of one workload under a config."""

    @extend_schema(
        operation_id="try_route",
        summary="Test the route of a workload",
        description="Returns the result of every rule, the smallest change that reaches each other "
        "rule, and whether the workload fits into the quota of the queue. Nothing is stored.",
        request=schemas.RouteIn,
        responses={200: schemas.Route, **problems(413, 415), **REJECTED},
        examples=[example("8 GPUs for research", schemas.EXAMPLE_ROUTE, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Test the route of a workload."""
        reader, fields = self.fields(request, (*WORKLOAD_FIELDS, *_CONFIG_FIELDS, "dialect"))
        with _limited(self, fields):
            workload = read_tested_workload(
                reader,
                fields,
                least_priority=lambda: _tested_config(self, Reader(), fields).policy.least_priority,
            )
            config = _tested_config(self, reader, fields)
            return Response(route_answer(try_route(self.actor, config, workload)))


class Expectations(OrgView):
    """Expectations of an organization."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="list_expectations",
        summary="List expectations",
        description="By name. Every apply checks them.",
        responses={200: expected.ExpectationList, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List expectations."""
        rows = expectations_of(self.actor.org)
        return Response({"results": [expectation_answer(row) for row in rows]})

    @extend_schema(
        operation_id="save_expectations",
        summary="Save expectations",
        description="Each replaces an expectation with the same name. All are saved, or none.",
        request=expected.ExpectationsIn,
        responses={200: expected.ExpectationList, **problems(409, 413, 415)},
        examples=[
            example("One", {"expectations": [expected.EXAMPLE_EXPECTATION]}, request=True),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Save expectations."""
        reader, fields = self.fields(request, ("expectations",), required=("expectations",))
        found = (
            read_expectations(
                reader,
                fields["expectations"],
                "expectations",
                partial(least_priority, self.actor.org),
            )
            if "expectations" in fields
            else []
        )
        reader.finish()
        rows = save_expectations(self.actor, found)
        return Response({"results": [expectation_answer(row) for row in rows]})


class DeleteExpectations(OrgView):
    """Deletes expectations."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="delete_expectations",
        summary="Delete expectations",
        description="Unknown names are ignored, so that the request can be repeated.",
        request=expected.ExpectationNames,
        responses={200: expected.Deleted, **problems(413, 415)},
        examples=[
            example("One", {"names": [expected.EXAMPLE_EXPECTATION["name"]]}, request=True),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Delete expectations."""
        reader, fields = self.fields(request, ("names",), required=("names",))
        items = (
            reader.items(fields["names"], "names", 1, MOST_EXPECTATIONS)
            if "names" in fields
            else ()
        )
        names = [
            reader.text(name, f"names[{i}]", LONGEST_NAME, blank=False)
            for i, name in enumerate(items)
        ]
        reader.finish()
        return Response({"deleted": delete_expectations(self.actor, names)})


class CheckExpectations(OrgView):
    """Results of all expectations in a config."""

    @extend_schema(
        operation_id="check_expectations",
        summary="Check expectations",
        description="Evaluates them in the active config, a version, a draft or a text.",
        request=schemas.ConfigToTry,
        responses={200: expected.ExpectationCheck, **problems(413, 415), **REJECTED},
        examples=[example("In version 4", {"version": 4}, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Check expectations."""
        reader, fields = self.fields(request, (*_CONFIG_FIELDS, "dialect"))
        with _limited(self, fields):
            config = _tested_config(self, reader, fields)
            return Response(met_answer(evaluate_expectations(self.actor.org, config.policy)))


def _limited(view: OrgView, fields: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return the context manager that limits expensive requests about large texts."""
    text = fields.get("text")
    size = len(text) if isinstance(text, str) else 0
    return expensive(Kind.ROUTE, view.actor.org.pk, view.actor.key, size=size)


def _tested_config(view: OrgView, reader: Reader, fields: Mapping[str, Any]) -> CompiledConfig:
    """Return the config of the test; raises BadRequest with all errors of the request body."""
    named = [name for name in _CONFIG_FIELDS if fields.get(name) is not None]
    for name in named[1:]:
        message = f"Only one config is tested; remove this field or {named[0]}."
        reader.refuse(name, "conflicting_fields", message)
    name = named[0] if named else "active"
    if fields.get("dialect") is not None and name != "text":
        reader.refuse(
            "dialect", "conflicting_fields", "dialect is only allowed with text; remove it."
        )
    org, value = view.actor.org, fields.get(name)
    if name == "text":
        dialect, text = read_config(reader, fields)
        reader.finish()
        return compile_config_text(org, dialect, text)
    number = 0 if name == "active" else reader.integer(value, name, 1, 999_999_999)
    reader.finish()
    return find_compiled_config(
        org, {"active": name, "version": str(number), "draft": f"draft-{number}"}[name]
    )
