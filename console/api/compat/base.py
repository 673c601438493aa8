"""What the client's endpoints share: its token, its wrappings, its pages and its errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import JSONView
from console.api.compat.authentication import ClientTokenAuthentication
from console.api.compat.errors import exception_handler
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import ApiToken
from console.orgs.permissions import Actor
from console.paging import read_cursor
from console.reading import is_storable


class ClientView(JSONView):
    """An endpoint in the organization of the client's token; *actor* is that token."""

    authentication_classes = [ClientTokenAuthentication]
    #: The document of the product's own API has nothing of it.
    schema = None
    actor: Actor

    def get_exception_handler(self) -> Any:
        """Return what words problems for the client."""
        return exception_handler

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Raise NotAllowed when the token's role is not enough."""
        assert isinstance(request.auth, ApiToken)
        self.actor = Actor.from_token(request.auth)
        # No address of this protocol names it.
        structlog.contextvars.bind_contextvars(org=self.actor.org.slug)
        self.actor.require(self.takes)
        if not all(is_storable(value) for value in kwargs.values() if isinstance(value, str)):
            raise NotFound("There is nothing at this address.")

    def paging_token(self, request: Request) -> str | None:
        """Return the place where a page begins; raises BadRequest for what no list gave out."""
        token = request.query_params.get("paging_token")
        try:
            read_cursor(token)
        except BadRequest as error:
            message = "This is not a token of this list; use next_paging_token of its last answer."
            raise BadRequest([FieldError("paging_token", "invalid_token", message)]) from error
        return token


class NoSuchAddress(ClientView):
    """Every other address of the client's protocols: only the scheduler's part is served."""

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Raise NotFound for every method, once it is known that the token is one."""
        super().identify(request, **kwargs)
        raise NotFound(
            "Sluice serves only the scheduler's part of the anyscale client's protocol: the "
            "commands of anyscale scheduler config, and reading queues, workloads and events."
        )


def result(value: Any) -> Response:
    """Return one object as the client expects it."""
    return Response({"result": value})


def results(rows: Iterable[Any], total: int, next_token: str | None) -> Response:
    """Return one page of a list of *total* objects."""
    metadata = {"total": total, "next_paging_token": next_token}
    return Response({"results": list(rows), "metadata": metadata})


def email_of(name: str) -> str | None:
    """Return the name of who acted when it is an e-mail address; tokens have other names."""
    return name if "@" in name else None
