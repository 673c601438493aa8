"""Base classes of endpoints: actor, permissions and query parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ClassVar

import structlog
from django.utils.cache import patch_cache_control
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.api.authentication import HasCredentials, actor_of
from console.api.body import ExactJSONParser, media_type_of
from console.api.rate_limit import count_request
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor, Permission
from console.reading import Reader, is_storable, printable
from console.workloads.queries import DEFAULT_LIMIT, MAX_LIMIT

#: Query parameters of every list.
PAGING = ("limit", "cursor")


class AlwaysJSON(BaseContentNegotiation):
    """Always selects JSON for responses, whatever the client accepts."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        """Return the parser for the content type of the body, None if there is none."""
        kind = media_type_of(request)
        return next((parser for parser in parsers if kind in parser.media_types), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        """Return the only renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JSONView(APIView):
    """An endpoint that requires credentials and accepts only known query parameters."""

    parser_classes = [ExactJSONParser]
    permission_classes = [HasCredentials]
    content_negotiation_class = AlwaysJSON
    #: Accepted query parameters.
    parameters: ClassVar[Collection[str]] = ()
    #: Query parameters that can be repeated.
    repeatable: ClassVar[Collection[str]] = ()
    #: Required permission by method; READ for methods that are not listed.
    permissions: ClassVar[Mapping[str, Permission]] = {}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Reject unknown parameters: a misspelled filter must not return all rows."""
        super().initial(request, *args, **kwargs)
        self.identify(request, **kwargs)
        errors = [
            self._unknown(name) if not self.accepts_parameter(name) else _repeated(name)
            for name, values in request.query_params.lists()
            if not self.accepts_parameter(name) or (len(values) > 1 and name not in self.repeatable)
        ]
        if errors:
            raise BadRequest(errors)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Forbid caching of the response: it is private, and can contain a secret."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(answer, private=True, no_store=True)
        return answer

    def check_throttles(self, request: Request) -> None:
        """Count the requests of a token; those of browser sessions are not limited."""
        if isinstance(request.auth, ApiToken):
            count_request(request.auth.pk)

    @property
    def verb(self) -> str:
        """The method of the request; HEAD counts as GET."""
        method = self.request.method or ""
        return "GET" if method == "HEAD" else method

    @property
    def required_permission(self) -> Permission:
        """The required permission; READ for an unknown method, so that every member gets a 405."""
        is_known = self.verb in self.allowed_methods
        return self.permissions.get(self.verb, Permission.READ) if is_known else Permission.READ

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Determine the actor and check its permission, before the request is read."""

    def accepts_parameter(self, name: str) -> bool:
        """Return whether the endpoint accepts the query parameter *name*."""
        return name in self.parameters

    def fields(
        self, request: Request, known: Collection[str], required: Collection[str] = ()
    ) -> tuple[Reader, Mapping[str, Any]]:
        """Return the fields of the body, and the reader that validates them."""
        reader = Reader()
        return reader, reader.mapping(request.data, "", known, required)

    def number(self, request: Request, name: str, default: int, least: int, most: int) -> int:
        """Return an integer parameter; raises BadRequest outside *least* to *most*."""
        text = request.query_params.get(name)
        if not text:
            return default
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not least <= number <= most:
            message = f"{name} has to be an integer from {least} to {most}."
            raise BadRequest([FieldError(name, "out_of_range", message)])
        return number

    def limit(self, request: Request) -> int:
        """Return the maximum number of rows of the page."""
        return self.number(request, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)

    def _unknown(self, name: str) -> FieldError:
        near = get_close_matches(name, self.parameters, n=1)
        known = ", ".join(self.parameters) or "none"
        hint = f"did you mean {near[0]}?" if near else f"known parameters: {known}."
        shown = printable(name)
        return FieldError(
            shown, "unknown_parameter", f"{shown} is not a parameter of this endpoint; {hint}"
        )


class OrgView(JSONView):
    """An endpoint in one organization; *actor* sent the request."""

    actor: Actor

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Set the actor; raises NotFound for an unknown organization, or NotAllowed."""
        if not all(is_storable(value) for value in kwargs.values() if isinstance(value, str)):
            raise NotFound("This URL does not exist.")
        self.actor = actor_of(request, kwargs["org"])
        self.actor.require(self.required_permission)


class TokenView(JSONView):
    """An endpoint in the organization of a token, which its URL does not name; it is the actor."""

    #: The OpenAPI document does not include endpoints of other protocols.
    schema = None
    actor: Actor

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Set the actor; raises NotAllowed for a missing permission."""
        assert isinstance(request.auth, ApiToken)
        self.actor = Actor.from_token(request.auth)
        structlog.contextvars.bind_contextvars(org=self.actor.org.slug)
        self.actor.require(self.required_permission)
        if not all(is_storable(value) for value in kwargs.values() if isinstance(value, str)):
            raise NotFound("This URL does not exist.")


class NoSuchAddress(JSONView):
    """Fallback for unknown URLs of the API: returns a problem instead of a page."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raise NotFound before credentials are checked."""
        raise NotFound("This URL does not exist; /api/v1/docs/ lists all endpoints.")


def _repeated(name: str) -> FieldError:
    message = f"{printable(name)} is repeated; send it once."
    return FieldError(printable(name), "repeated_parameter", message)


def results(rows: list[Any], next: str | None) -> Response:  # noqa: A002
    """Return one page of a list; *next* is the cursor of the rest."""
    return Response({"results": rows, "next": next})
