"""Impact runs: start, get and cancel."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.impact import impact_answer
from console.api.base import OrgView
from console.api.config_text import REJECTED, read_config
from console.api.schemas import configs as config_schemas
from console.api.schemas import impact as schemas
from console.api.schemas.common import example, problems
from console.configs.models import ImpactRun
from console.configs.queries import get_impact
from console.configs.services.cancel_impact import cancel_impact
from console.configs.services.find_impact import find_impact
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission

_TAG = ["config"]


class ConfigImpact(OrgView):
    """Impact of a config text."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="find_impact",
        summary="Compute the impact of a config",
        description="Compares a text with the active version: its effects on running and pending "
        "workloads, and on the workloads recorded in the last 30 days. The response has the "
        "result if it takes less than a second; otherwise a worker computes it, and the run "
        "shows its progress. The same text on the same version starts one run within five "
        "minutes.",
        request=config_schemas.ConfigText,
        responses={
            200: schemas.Impact,
            202: schemas.Impact,
            **problems(409, 413, 415),
            **REJECTED,
        },
        examples=[
            example("A text", {"text": config_schemas.EXAMPLE_TEXT}, request=True),
            example("A run", schemas.EXAMPLE_RUN),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Start a run: 200 with its result, or 202 while it is computed."""
        reader, fields = self.fields(request, ("dialect", "text"), required=("text",))
        dialect, text = read_config(reader, fields)
        reader.finish()
        with expensive(Kind.PREVIEW, self.actor.org.pk, self.actor.key, size=len(text)):
            run = find_impact(self.actor, dialect, text)
        is_open = run.state in (ImpactRun.State.WAITING, ImpactRun.State.RUNNING)
        return Response(impact_answer(self.actor, run), status=202 if is_open else 200)


class OneImpact(OrgView):
    """One impact run."""

    @extend_schema(
        operation_id="get_impact",
        summary="Get an impact run",
        responses={200: schemas.Impact, **problems()},
        examples=[example("A run", schemas.EXAMPLE_RUN)],
        tags=_TAG,
    )
    def get(self, request: Request, run: int, **kwargs: Any) -> Response:
        """Return the progress or the result of a run. Runs are kept for a week."""
        return Response(impact_answer(self.actor, get_impact(self.actor.org, run)))


class CancelImpact(OrgView):
    """Cancels an impact run."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="cancel_impact",
        summary="Cancel an impact run",
        description="A waiting run ends immediately, a running one at its next step. A run that "
        "has ended does not change.",
        request=None,
        responses={200: schemas.Impact, **problems(413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, run: int, **kwargs: Any) -> Response:
        """Cancel an impact run."""
        reader, _ = self.fields(request, ())
        reader.finish()
        return Response(impact_answer(self.actor, cancel_impact(self.actor, run)))
