"""Workloads: submit, list, get and explain."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.configs import codes_url, findings_answer
from console.api.answers.groups import groups_answer
from console.api.answers.workloads import explanation_answer, search_answer, workload_answer
from console.api.base import PAGING, OrgView, results
from console.api.body import ExactJSONParser, YAMLParser, yaml_of
from console.api.schemas import workloads as schemas
from console.api.schemas.common import (
    EXPORT,
    IDEMPOTENCY_KEY,
    JSON_TYPE,
    PAGED,
    PROBLEM_TYPE,
    Problem,
    example,
    or_files,
    or_markdown,
    problems,
    query,
)
from console.api.schemas.groups import WorkloadGroups
from console.errors import BadRequest, FieldError, NotFound
from console.expensive import Kind, take_place
from console.exports import (
    MARKDOWN,
    MARKDOWN_TYPE,
    PARAMETER,
    export_answer,
    is_markdown_requested,
    requested_format,
)
from console.logs import bind_workloads
from console.orgs.permissions import Permission
from console.policies.queries import active_policy, least_priority
from console.workloads.advice import advice_of_search, find_advice
from console.workloads.disclosure import advice_for_reader, disclose_preemptors, for_reader
from console.workloads.explanations import explain_workload
from console.workloads.export import EXPORTED, exported_rows
from console.workloads.markdown import Links, explanation_markdown
from console.workloads.models import SearchRun, State
from console.workloads.queries import (
    WorkloadFilter,
    get_workload,
    list_workloads,
    position_of,
)
from console.workloads.queries.decisions import admitting_policy, record_of_reason
from console.workloads.queries.filters import REASON_CLASSES
from console.workloads.queries.groups import GROUPINGS, MOST_COUNTED, group_workloads
from console.workloads.queries.listing import Order, read_order
from console.workloads.read_manifest import manifest_language
from console.workloads.saved_views import read_grouping
from console.workloads.services.search_fully import cancel_search, latest_run, search_fully
from console.workloads.services.submit_manifest import submit_manifest
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import MOST_AT_ONCE, read_submissions

_FILTERS = {
    "state": "`pending`, `admitted`, `preempting`, `finished`, `rejected` or `withdrawn`.",
    "queue": "Name of a queue.",
    "reason": "Code of the current reason.",
    "reason_class": f"Class of the current reason: {', '.join(REASON_CLASSES)}.",
    "user": "User of the workload.",
    "project": "Project of the workload.",
    "type": "`job`, `service` or `workspace`.",
    "flavor": "Name of an assigned flavor, or of one assigned when the workload ended.",
    "without": "`queue`, `flavor`, `user` or `project`: workloads without one. `reason`: workloads "
    "withdrawn while pending.",
    "q": "A complete id, or the beginning of a name.",
    "priority": "The effective priority: `5`, `>5`, `<=9` or `1..9`.",
    "older": "Submitted at least this long ago: `30m`, `2h`, `7d` or `1w`.",
    "newer": "Submitted within this span of time until now, as for `older`.",
    "since": "Start of the range of submission times, inclusive.",
    "until": "End of the range of submission times, exclusive.",
}
_TAG = ["workloads"]


class Workloads(OrgView):
    """The workloads of an organization."""

    parameters = (*_FILTERS, "group_by", "sort", PARAMETER, *PAGING)
    permissions = {"POST": Permission.SUBMIT}
    parser_classes = [ExactJSONParser, YAMLParser]

    def accepts_parameter(self, name: str) -> bool:
        """Accept ``label.KEY`` and the named filters in a GET, and no parameters in a POST."""
        return self.verb == "GET" and (name.startswith("label.") or super().accepts_parameter(name))

    @extend_schema(
        operation_id="list_workloads",
        summary="List workloads",
        description="Newest first unless `sort` is given. All filters have to match; "
        "`label.team=ml` filters by a label. With `group_by`, the response has counts instead of "
        f"workloads; unless `is_exact` is true, they count the newest {MOST_COUNTED:,}.",
        parameters=[
            *(query(name, description) for name, description in _FILTERS.items()),
            query("label.KEY", "Value of the label KEY. Can be given for several keys."),
            query(
                "group_by", "Return counts by this property instead of workloads.", enum=GROUPINGS
            ),
            query(
                "sort",
                "The order; `priority` for the pending workloads of one queue.",
                enum=[each.value for each in Order],
            ),
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
        """List a page of workloads, count them by group, or export all of them."""
        conditions = WorkloadFilter.from_query(request.query_params, self.actor.org)
        order = read_order(request.query_params, conditions)
        form = requested_format(request.query_params)
        if form:
            name = f"{self.actor.org.slug}-workloads"
            rows = exported_rows(self.actor, conditions, order)
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, name, EXPORTED, rows)
        by = read_grouping(request.query_params)
        if by is not None:
            return Response(groups_answer(by, group_workloads(self.actor.org, conditions, by)))
        page = list_workloads(
            self.actor.org,
            conditions,
            self.limit(request),
            request.query_params.get("cursor"),
            order,
        )
        disclose_preemptors(self.actor, page.results)
        return results([workload_answer(workload) for workload in page.results], page.next)

    @extend_schema(
        operation_id="submit_workloads",
        summary="Submit workloads",
        description=f"1 to {MOST_AT_ONCE:,} workloads, all or none. They are stored before the "
        "response is sent; their state and the decision feed show the decisions. A request with "
        "an `Idempotency-Key` can be repeated: it returns the first response and creates no "
        "further workloads. With the content type `application/yaml`, `text/yaml` or "
        "`application/x-yaml`, the body is a manifest: one workload in the form of the language of "
        "the active config, if the language has one.",
        parameters=[IDEMPOTENCY_KEY],
        request={JSON_TYPE: schemas.WorkloadsIn, YAMLParser.media_type: OpenApiTypes.STR},
        responses={
            202: schemas.SubmittedWorkloads,
            **problems(409, 413, 415),
            (400, PROBLEM_TYPE): OpenApiResponse(
                schemas.SubmissionProblem,
                description="The request is invalid; `errors` lists every invalid field, and "
                "`diagnostics` every error of a manifest.",
            ),
            (403, PROBLEM_TYPE): OpenApiResponse(
                Problem,
                description="The role does not permit this action, or the CSRF token of a session "
                "is missing. With `errors`, the role does not permit submitting as other users: "
                "`errors` lists every user and group that is not the submitter's own.",
            ),
        },
        examples=[
            example("A training job", schemas.EXAMPLE_IN, request=True),
            example("A driver and its workers", schemas.EXAMPLE_POD_SETS_IN, request=True),
            OpenApiExample(
                "A manifest",
                value=schemas.EXAMPLE_MANIFEST,
                media_type=YAMLParser.media_type,
                request_only=True,
            ),
            example("The id", schemas.EXAMPLE_IDS),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Submit the workloads; the ids are in the order of the request."""
        manifest = yaml_of(request)
        if manifest is not None:
            return self._submit_manifest(request, manifest)
        self._check_is_no_manifest(request.data)
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

    def _submit_manifest(self, request: Request, text: bytes) -> Response:
        made = submit_manifest(self.actor, text, request.headers.get("Idempotency-Key"))
        bind_workloads([made.uid])
        lints = findings_answer(made.findings, codes_url(request, self.actor.org))["lints"]
        return Response({"ids": [made.uid], "lints": lints}, status=202)

    def _check_is_no_manifest(self, body: Any) -> None:
        """Raise BadRequest for a manifest that is sent as JSON."""
        if not isinstance(body, dict) or "kind" not in body or "workloads" in body:
            return
        if manifest_language(active_policy(self.actor.org)) is not None:
            message = "This is a manifest; send the same text with Content-Type: application/yaml."
            raise BadRequest([FieldError("kind", "manifest_as_json", message)])


class OneWorkload(OrgView):
    """One workload."""

    @extend_schema(
        operation_id="get_workload",
        summary="Get a workload",
        responses={200: schemas.Workload, **problems()},
        examples=[example("A running workload", schemas.EXAMPLE)],
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Return the workload with its position in the queue."""
        workload = get_workload(self.actor.org, uid)
        disclose_preemptors(self.actor, [workload])
        org = self.actor.org
        active = active_policy(org) if workload.state == State.ADMITTED else None
        policy = admitting_policy(org, workload)
        return Response(workload_answer(workload, position_of(workload), policy, active))


class WorkloadExplanation(OrgView):
    """The explanation of a workload."""

    parameters = (PARAMETER,)

    @extend_schema(
        operation_id="explain_workload",
        summary="Explain a workload",
        description="The stages from labels to outcome: intake, route, priority, queue, flavors, "
        "preemption, order, outcome. A pending workload is evaluated on the current state; "
        "for others, the explanation is that of their latest decision. For a pending "
        "workload, `changes` lists single changes that would each start it now, verified by "
        "the engine on a copy; for a rejected one, changes that would make the active "
        "config accept it. The search stops after one second, and `candidates` shows its "
        "progress. The response is 429 if you already have a search in progress. With "
        "`as=markdown`, the response has the stages as Markdown for a ticket or chat, "
        "without `changes`; texts from users are escaped.",
        parameters=[query(PARAMETER, "Return Markdown.", enum=(MARKDOWN,))],
        responses={**or_markdown(schemas.WorkloadExplanation), **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> HttpResponseBase:
        """Explain the workload."""
        workload = get_workload(self.actor.org, uid)
        if is_markdown_requested(request.query_params):
            explained = for_reader(self.actor, explain_workload(self.actor.org, workload))
            links = Links(request.build_absolute_uri("/"), self.actor.org.slug)
            text = explanation_markdown(workload, explained, links)
            return HttpResponse(text, content_type=MARKDOWN_TYPE)
        # The search runs first: if it is rejected with 429, the explanation is not computed.
        found = advice_for_reader(self.actor, find_advice(self.actor, workload))
        explained = for_reader(self.actor, explain_workload(self.actor.org, workload))
        record = record_of_reason(workload, explained.explanation.reason)
        return Response(explanation_answer(workload, explained, found, record))


class WorkloadSearch(OrgView):
    """The complete search for changes that would start a workload, run by a worker."""

    permissions = {"POST": Permission.READ, "DELETE": Permission.READ}

    @extend_schema(
        operation_id="get_search",
        summary="Get a complete search",
        description="The newest search for this workload: its progress or its result. An ended "
        "search is kept for an hour.",
        responses={200: schemas.WorkloadSearch, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Return a complete search."""
        return self._answer(latest_run(get_workload(self.actor.org, uid)))

    @extend_schema(
        operation_id="search_changes",
        summary="Start a complete search",
        description="A worker tries all candidates, for an explanation whose `is_complete` is "
        "false. An organization has one search at a time; a repeated request for the same "
        "workload returns the open search.",
        request=None,
        responses={202: schemas.WorkloadSearch, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Start a search; GET returns its progress."""
        reader, _ = self.fields(request, ())
        reader.finish()
        run = search_fully(self.actor, get_workload(self.actor.org, uid))
        return self._answer(run, status=202)

    @extend_schema(
        operation_id="cancel_search",
        summary="Cancel a complete search",
        description="A waiting search ends immediately, a running one at its next step. A search "
        "that has ended does not change.",
        responses={200: schemas.WorkloadSearch, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Cancel a complete search."""
        return self._answer(cancel_search(self.actor, get_workload(self.actor.org, uid)))

    def _answer(self, run: SearchRun | None, status: int = 200) -> Response:
        if run is None:
            raise NotFound("There was no complete search for this workload in the last hour.")
        found = advice_of_search(run)
        disclosed = advice_for_reader(self.actor, found) if found is not None else None
        return Response(search_answer(run, disclosed), status=status)
