"""Base classes of the client's endpoints: authentication, response envelopes, paging and errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import TokenView
from console.api.compat.authentication import ClientTokenAuthentication
from console.api.compat.errors import exception_handler
from console.errors import BadRequest, FieldError, NotFound
from console.paging import read_cursor


class ClientView(TokenView):
    """An endpoint in the organization of the client's token; *actor* is that token."""

    authentication_classes = [ClientTokenAuthentication]

    def get_exception_handler(self) -> Any:
        """Return the handler that formats errors for the client."""
        return exception_handler

    def paging_token(self, request: Request) -> str | None:
        """Return the cursor of a page; raises BadRequest for an invalid one."""
        token = request.query_params.get("paging_token")
        try:
            read_cursor(token)
        except BadRequest as error:
            message = "The paging_token is invalid; use next_paging_token of the previous response."
            raise BadRequest([FieldError("paging_token", "invalid_token", message)]) from error
        return token


class NoSuchAddress(ClientView):
    """Fallback for unknown URLs of the protocol, of which only the scheduler's part is served."""

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Raise NotFound for every method, after the token is checked."""
        super().identify(request, **kwargs)
        raise NotFound(
            "Sluice implements only the scheduler's part of the anyscale client's protocol: the "
            "commands of anyscale scheduler config, and reading queues, workloads and events."
        )


def result(value: Any) -> Response:
    """Return the response with one object."""
    return Response({"result": value})


def results(rows: Iterable[Any], total: int, next_token: str | None) -> Response:
    """Return the response with one page of a list of *total* objects."""
    metadata = {"total": total, "next_paging_token": next_token}
    return Response({"results": list(rows), "metadata": metadata})


def email_of(name: str) -> str | None:
    """Return the name of an actor if it is an e-mail address; None for a token."""
    return name if "@" in name else None
