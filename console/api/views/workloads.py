"""Workloads: hand them in, list them, look at one and at why."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.groups import groups_answer
from console.api.answers.workloads import explanation_answer, search_answer, workload_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import workloads as schemas
from console.api.schemas.common import (
    EXPORT,
    PAGED,
    example,
    or_files,
    or_markdown,
    problems,
    query,
)
from console.api.schemas.groups import WorkloadGroups
from console.errors import NotFound
from console.expensive import Kind, take_place
from console.exports import (
    MARKDOWN,
    MARKDOWN_TYPE,
    PARAMETER,
    asked_format,
    asks_for_markdown,
    export_answer,
)
from console.logs import bind_workloads
from console.orgs.permissions import Permission
from console.policies.queries import least_priority
from console.workloads.changes import what_would_help, whole_help
from console.workloads.disclosure import disclose_preemptors, for_reader, help_for_reader
from console.workloads.explanations import explain_workload
from console.workloads.export import EXPORTED, exported_rows
from console.workloads.markdown import Links, explanation_markdown
from console.workloads.models import SearchRun
from console.workloads.queries import (
    WorkloadFilter,
    get_workload,
    list_workloads,
    position_of,
)
from console.workloads.queries.decisions import admitting_policy
from console.workloads.queries.filters import REASON_CLASSES
from console.workloads.queries.groups import GROUPINGS, MOST_COUNTED, group_workloads
from console.workloads.saved_views import read_grouping
from console.workloads.services.search_fully import cancel_search, latest_run, search_fully
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import MOST_AT_ONCE, read_submissions

_FILTERS = {
    "state": "pending, admitted, preempting, finished, rejected or withdrawn.",
    "queue": "Name of a queue.",
    "reason": "Code of the reason that holds now.",
    "reason_class": f"Class of that reason: {', '.join(REASON_CLASSES)}.",
    "user": "User the workload was submitted for.",
    "project": "Project of the workload.",
    "type": "job, service or workspace.",
    "flavor": "Name of a flavor that it holds, or held when it ended.",
    "without": "queue, flavor, user or project: it has none; reason: withdrawn while it waited.",
    "q": "A whole id, or the beginning of a name.",
    "since": "Submitted at this time or later.",
    "until": "Submitted before this time.",
}
_TAG = ["workloads"]


class Workloads(OrgView):
    """The workloads of an organization."""

    parameters = (*_FILTERS, "group_by", PARAMETER, *PAGING)
    permissions = {"POST": Permission.SUBMIT}

    def knows(self, name: str) -> bool:
        """Accept ``label.KEY`` beside the named filters, and nothing in a POST."""
        return self.verb == "GET" and (name.startswith("label.") or super().knows(name))

    @extend_schema(
        operation_id="list_workloads",
        summary="List workloads",
        description="Newest first. Filters add up; `label.team=ml` asks for a label. With "
        f"`group_by` the answer has no workloads but how many are alike, counted among the newest "
        f"{MOST_COUNTED:,} unless `is_exact` says otherwise.",
        parameters=[
            *(query(name, description) for name, description in _FILTERS.items()),
            query("label.KEY", "The label KEY has this value. May be given for several keys."),
            query("group_by", "Count by this instead of listing.", enum=GROUPINGS),
            EXPORT,
            *PAGED,
        ],
        responses={
            **or_files(
                PolymorphicProxySerializer(
                    component_name="WorkloadsOrGroups",
                    serializers=[schemas.WorkloadPage, WorkloadGroups],
                    resource_type_field_name=None,
                )
            ),
            **problems(),
        },
        examples=[example("One workload", schemas.EXAMPLE)],
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """List them, count them by what they have in common, or export them all."""
        conditions = WorkloadFilter.from_query(request.query_params, self.actor.org)
        form = asked_format(request.query_params)
        if form:
            name, rows = f"{self.actor.org.slug}-workloads", exported_rows(self.actor, conditions)
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, name, EXPORTED, rows)
        by = read_grouping(request.query_params)
        if by is not None:
            return Response(groups_answer(by, group_workloads(self.actor.org, conditions, by)))
        page = list_workloads(
            self.actor.org, conditions, self.limit(request), request.query_params.get("cursor")
        )
        disclose_preemptors(self.actor, page.results)
        return results([workload_answer(workload) for workload in page.results], page.next)

    @extend_schema(
        operation_id="submit_workloads",
        summary="Submit workloads",
        description=f"1 to {MOST_AT_ONCE:,} at once, all of them or none. When the answer comes "
        "they are durable; what is decided about them shows in their state and in the decisions. "
        "A request with an `Idempotency-Key` may be sent again: it gets the first answer and "
        "creates nothing more.",
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                str,
                OpenApiParameter.HEADER,
                description="1 to 150 printable ASCII characters, one key for each request.",
            )
        ],
        request=schemas.WorkloadsIn,
        responses={202: schemas.Ids, **problems(409, 413, 415)},
        examples=[
            example("A training job", schemas.EXAMPLE_IN, request=True),
            example("A driver and its workers", schemas.EXAMPLE_POD_SETS_IN, request=True),
            example("Its id", schemas.EXAMPLE_IDS),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Submit them; the ids come in the order of the request."""
        reader, fields = self.fields(request, ("workloads",), required=("workloads",))
        reader.finish()
        submissions = read_submissions(fields["workloads"], partial(least_priority, self.actor.org))
        key = request.headers.get("Idempotency-Key")
        if key is None:
            ids = [workload.uid for workload in submit_workloads(self.actor, submissions)]
        else:
            ids = submit_once(self.actor, key, submissions)
        bind_workloads(ids)
        return Response({"ids": ids}, status=202)


class OneWorkload(OrgView):
    """One workload."""

    @extend_schema(
        operation_id="get_workload",
        summary="Look at a workload",
        responses={200: schemas.Workload, **problems()},
        examples=[example("A running workload", schemas.EXAMPLE)],
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Show it, with its place in the queue."""
        workload = get_workload(self.actor.org, uid)
        disclose_preemptors(self.actor, [workload])
        policy = admitting_policy(self.actor.org, workload)
        return Response(workload_answer(workload, position_of(workload), policy))


class WorkloadExplanation(OrgView):
    """Why a workload is where it is."""

    parameters = (PARAMETER,)

    @extend_schema(
        operation_id="explain_workload",
        summary="Explain a workload",
        description="The stages from its labels to the outcome: intake, route, priority, queue, "
        "flavors, preemption, order, outcome. A pending workload is judged at this moment; any "
        "other shows the decision that put it where it is. `changes` has, of a pending one, "
        "the single changes with each of which it would start now: the engine has tried each on "
        "a copy. Of a rejected one it has what would let it in under the active config. "
        "The search ends after a second with what it has proven, and `candidates` says how "
        "far it came; 429 where you have one under way already. With `as=markdown` the answer is "
        "the stages as text to paste into a ticket or a chat, without `changes`: what people "
        "typed stays text in it.",
        parameters=[query(PARAMETER, "Answer with Markdown instead.", enum=(MARKDOWN,))],
        responses={**or_markdown(schemas.WorkloadExplanation), **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> HttpResponseBase:
        """Explain it."""
        workload = get_workload(self.actor.org, uid)
        if asks_for_markdown(request.query_params):
            explained = for_reader(self.actor, explain_workload(self.actor.org, workload))
            links = Links(request.build_absolute_uri("/"), self.actor.org.slug)
            text = explanation_markdown(workload, explained, links)
            return HttpResponse(text, content_type=MARKDOWN_TYPE)
        # First what may be refused, so that a refusal costs little.
        found = help_for_reader(self.actor, what_would_help(self.actor, workload))
        explained = for_reader(self.actor, explain_workload(self.actor.org, workload))
        return Response(explanation_answer(workload, explained, found))


class WorkloadSearch(OrgView):
    """The whole search for what would start a workload, by a worker."""

    permissions = {"POST": Permission.READ, "DELETE": Permission.READ}

    @extend_schema(
        operation_id="get_search",
        summary="Look at a whole search",
        description="The newest one for this workload: how far it is, or what it found. An ended "
        "one is kept for an hour.",
        responses={200: schemas.WorkloadSearch, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Show it."""
        return self._answer(latest_run(get_workload(self.actor.org, uid)))

    @extend_schema(
        operation_id="search_changes",
        summary="Search everything that would start a workload",
        description="Has a worker try every candidate, where `is_complete` of the explanation is "
        "false. One at a time in an organization; asking again for what is open answers with it.",
        request=None,
        responses={202: schemas.WorkloadSearch, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Ask for it: 202 with a run, which GET follows."""
        reader, _ = self.fields(request, ())
        reader.finish()
        run = search_fully(self.actor, get_workload(self.actor.org, uid))
        return self._answer(run, status=202)

    @extend_schema(
        operation_id="cancel_search",
        summary="Cancel a whole search",
        description="One that waits ends at once, one that runs at its next step; one that has "
        "ended stays as it is.",
        responses={200: schemas.WorkloadSearch, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Cancel it."""
        return self._answer(cancel_search(self.actor, get_workload(self.actor.org, uid)))

    def _answer(self, run: SearchRun | None, status: int = 200) -> Response:
        if run is None:
            raise NotFound("There was no whole search for this workload within the last hour.")
        found = whole_help(run)
        told = help_for_reader(self.actor, found) if found is not None else None
        return Response(search_answer(run, told), status=status)
