"""The audit log."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from console.api.base import PAGING, OrgView, results
from console.api.schemas import audit as schemas
from console.api.schemas.common import EXPORT, PAGED, or_files, problems, query
from console.expensive import Kind, take_place
from console.exports import PARAMETER, export_answer, requested_format
from console.orgs.audit_search import REPEATABLE, AuditSearch, all_audit, search_audit
from console.orgs.chain import COLUMNS, sealed_facts_of

_FILTERS = {
    "action": "An action such as `config.apply`, or a prefix such as `config`. Can be repeated.",
    "kind": "Kind of the changed object. Can be repeated.",
    "subject": "The changed object: a queue name, token or draft number, or e-mail address.",
    "actor": "E-mail address of a person, name of a token, or a key such as `token:3`.",
    "request": "Request id, as in `X-Request-ID`.",
    "ip": "Client address of the request.",
    "id": "Id of one entry.",
    "since": "Start of the time range, inclusive.",
    "until": "End of the time range, exclusive. A date without a time includes the whole day.",
}


class Audit(OrgView):
    """Audit entries of an organization."""

    parameters = (*_FILTERS, PARAMETER, *PAGING)
    repeatable = REPEATABLE

    @extend_schema(
        operation_id="list_audit",
        summary="List audit entries",
        description="Actions of people and tokens, with the values before and after, newest first. "
        "Owners see all entries, other members their own. With `as`, all entries are "
        "streamed as one file; the command `verify_audit` verifies an NDJSON file.",
        parameters=[
            *(query(name, text, many=name in REPEATABLE) for name, text in _FILTERS.items()),
            EXPORT,
            *PAGED,
        ],
        responses={**or_files(schemas.AuditPage), **problems()},
        tags=["events"],
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """List a page of entries, or export all of them."""
        search = AuditSearch.from_query(request.query_params)
        form = requested_format(request.query_params)
        if form:
            rows = map(sealed_facts_of, all_audit(self.actor, search))
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, f"{self.actor.org.slug}-audit", COLUMNS, rows)
        cursor = request.query_params.get("cursor")
        page = search_audit(self.actor, search, self.limit(request), cursor)
        return results([sealed_facts_of(entry) for entry in page.results], page.next)
