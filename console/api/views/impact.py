"""Impact: ask what a text would do, look at the answer, and cancel the question."""

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
    """What a text would do."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="find_impact",
        summary="Find the impact of a config",
        description="Compares a text with the active version: what it would do to everything that "
        "runs and waits, and what it would have done with the workloads of the last 30 days. "
        "Answered at once where that takes less than a second; else a worker finds it, and its "
        "run says how far it is. The same question about the same version is asked once within "
        "five minutes.",
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
        """Ask: 200 with the answer, or 202 with a run that looks for it."""
        reader, fields = self.fields(request, ("dialect", "text"), required=("text",))
        dialect, text = read_config(reader, fields)
        reader.finish()
        with expensive(Kind.PREVIEW, self.actor.org.pk, self.actor.key, size=len(text)):
            run = find_impact(self.actor, dialect, text)
        is_open = run.state in (ImpactRun.State.WAITING, ImpactRun.State.RUNNING)
        return Response(impact_answer(self.actor, run), status=202 if is_open else 200)


class OneImpact(OrgView):
    """One question."""

    @extend_schema(
        operation_id="get_impact",
        summary="Look at an impact run",
        responses={200: schemas.Impact, **problems()},
        examples=[example("A run", schemas.EXAMPLE_RUN)],
        tags=_TAG,
    )
    def get(self, request: Request, run: int, **kwargs: Any) -> Response:
        """Show how far it is, or what it found; runs are kept for a week."""
        return Response(impact_answer(self.actor, get_impact(self.actor.org, run)))


class CancelImpact(OrgView):
    """The end of a question."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="cancel_impact",
        summary="Cancel an impact run",
        description="One that waits ends at once, one that runs at its next step; one that has "
        "ended stays as it is.",
        request=None,
        responses={200: schemas.Impact, **problems(413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, run: int, **kwargs: Any) -> Response:
        """Cancel it."""
        reader, _ = self.fields(request, ())
        reader.finish()
        return Response(impact_answer(self.actor, cancel_impact(self.actor, run)))
