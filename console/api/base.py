"""What every endpoint of an organization shares: who asks, what they may, and how they ask."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

from django.utils.cache import patch_cache_control
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.api.authentication import IsSomebody, actor_of
from console.api.body import ExactJSONParser
from console.api.rate_limit import count_request
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor, Permission
from console.reading import Reader, is_storable, printable
from console.workloads.queries import DEFAULT_LIMIT, MAX_LIMIT

#: Parameters of every list.
PAGING = ("limit", "cursor")


class AlwaysJSON(BaseContentNegotiation):
    """Answers JSON whatever the client would rather have: there is nothing else."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """Return the JSON parser for a JSON body, and None for another one."""
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        """Return the only renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JSONView(APIView):
    """An endpoint that asks for credentials and for known query parameters."""

    parser_classes = [ExactJSONParser]
    permission_classes = [IsSomebody]
    content_negotiation_class = AlwaysJSON
    #: Query parameters it reads.
    parameters: ClassVar[Collection[str]] = ()
    #: Those of them that may come several times.
    repeatable: ClassVar[Collection[str]] = ()
    #: Method -> what it takes; a method that is not named takes READ.
    permissions: ClassVar[Mapping[str, Permission]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse parameters that would be ignored otherwise: a misspelled filter shows too much."""
        super().initial(request, *args, **kwargs)
        self.identify(request, **kwargs)
        errors = [
            self._unknown(name) if not self.knows(name) else _repeated(name)
            for name, values in request.query_params.lists()
            if not self.knows(name) or (len(values) > 1 and name not in self.repeatable)
        ]
        if errors:
            raise BadRequest(errors)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Have nothing on the way keep an answer: it is for who asked, and may tell a secret."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(answer, private=True, no_store=True)
        return answer

    def check_throttles(self, request: Request) -> None:
        """Count what a token asks; a person in a browser is not counted."""
        if isinstance(request.auth, ApiToken):
            count_request(request.auth.pk)

    @property
    def verb(self) -> str:
        """The method of the request; HEAD asks for the answer to a GET, and takes as much."""
        method = self.request.method or ""
        return "GET" if method == "HEAD" else method

    @property
    def takes(self) -> Permission:
        """What the request takes; every member may be told that there is no such method."""
        is_known = self.verb in self.allowed_methods
        return self.permissions.get(self.verb, Permission.READ) if is_known else Permission.READ

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Find out as whom the request acts, and stop before anything of it is read."""

    def knows(self, name: str) -> bool:
        """Say whether the endpoint reads the query parameter *name*."""
        return name in self.parameters

    def fields(
        self, request: Request, known: Collection[str], required: Collection[str] = ()
    ) -> tuple[Reader, Mapping[str, Any]]:
        """Return the fields of the body, and the reader to read them with."""
        reader = Reader()
        return reader, reader.mapping(request.data, "", known, required)

    def number(self, request: Request, name: str, default: int, least: int, most: int) -> int:
        """Return an integer parameter; raises BadRequest outside *least* to *most*."""
        text = request.query_params.get(name)
        if not text:
            return default
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not least <= number <= most:
            message = f"{name} has to be a whole number from {least} to {most}."
            raise BadRequest([FieldError(name, "out_of_range", message)])
        return number

    def limit(self, request: Request) -> int:
        """Return how many rows the client wants at most."""
        return self.number(request, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)

    def _unknown(self, name: str) -> FieldError:
        near = get_close_matches(name, self.parameters, n=1)
        known = ", ".join(self.parameters) or "none"
        hint = f"did you mean {near[0]}?" if near else f"this address knows: {known}."
        shown = printable(name)
        return FieldError(shown, "unknown_parameter", f"{shown} is not known here; {hint}")


class OrgView(JSONView):
    """An endpoint inside one organization; *actor* is who asks."""

    actor: Actor

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Raise NotFound for an organization of others, NotAllowed when the role is not enough."""
        if not all(is_storable(value) for value in kwargs.values() if isinstance(value, str)):
            raise NotFound("There is nothing at this address.")
        self.actor = actor_of(request, kwargs["org"])
        self.actor.require(self.takes)


class NoSuchAddress(JSONView):
    """Every other address below the API's: a problem rather than a page."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Answer before anything else is asked."""
        raise NotFound("There is nothing at this address; see /api/v1/docs/ for what there is.")


def _repeated(name: str) -> FieldError:
    message = f"{printable(name)} is there twice; only one value would count."
    return FieldError(printable(name), "repeated_parameter", message)


def results(rows: list[Any], next: str | None) -> Response:  # noqa: A002
    """Return one page of a list; *next* is the cursor of the rest."""
    return Response({"results": rows, "next": next})
