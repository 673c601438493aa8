"""What people and tokens did."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from console.api.base import PAGING, OrgView, results
from console.api.schemas import audit as schemas
from console.api.schemas.common import EXPORT, PAGED, or_files, problems, query
from console.expensive import Kind, take_place
from console.exports import PARAMETER, asked_format, export_answer
from console.orgs.audit_search import REPEATABLE, AuditSearch, all_audit, search_audit
from console.orgs.chain import COLUMNS, sealed_facts_of

_FILTERS = {
    "action": "An action such as `config.apply`, or all that begin with a word, such as `config`; "
    "may come several times.",
    "kind": "What it was done to; may come several times.",
    "subject": "Which one of them: a queue's name, a token's or draft's number, an address.",
    "actor": "E-mail address of a person, name of a token, or a key such as `token:3`.",
    "request": "Id of the request, as in X-Request-ID.",
    "ip": "Address that the request came from.",
    "id": "Id of the only entry.",
    "since": "Done at this time or later.",
    "until": "Done before this time; a day without a time counts whole.",
}


class Audit(OrgView):
    """Audit entries, newest first."""

    parameters = (*_FILTERS, PARAMETER, *PAGING)
    repeatable = REPEATABLE

    @extend_schema(
        operation_id="list_audit",
        summary="List audit entries",
        description="Newest first: what people and tokens did, with what was so before and after. "
        "Owners see what everybody did, others what they did themselves. With `as`, all of them "
        "as one file that is written while it is read; `verify_audit` verifies one as NDJSON.",
        parameters=[
            *(query(name, text, many=name in REPEATABLE) for name, text in _FILTERS.items()),
            EXPORT,
            *PAGED,
        ],
        responses={**or_files(schemas.AuditPage), **problems()},
        tags=["events"],
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """List them, or export them all."""
        search = AuditSearch.from_query(request.query_params)
        form = asked_format(request.query_params)
        if form:
            rows = map(sealed_facts_of, all_audit(self.actor, search))
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, f"{self.actor.org.slug}-audit", COLUMNS, rows)
        cursor = request.query_params.get("cursor")
        page = search_audit(self.actor, search, self.limit(request), cursor)
        return results([sealed_facts_of(entry) for entry in page.results], page.next)
