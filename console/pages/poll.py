"""What the view of a live page is given for a poll, so that its answer may go to others too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

from django.http import HttpRequest

from console.orgs.permissions import Actor

#: Of what a server and a browser say, this alone is known to a view that answers a poll.
_KNOWN: Final = ("SERVER_NAME", "SERVER_PORT", "HTTP_HOST", "HTTP_X_FORWARDED_HOST")

_WHO: Final = frozenset({"name", "key", "user"})


def is_poll(request: HttpRequest) -> bool:
    """Say whether an open page asks by itself, which says nothing of whoever opened it."""
    return request.method == "GET" and "v" in request.GET


class PollRequest(HttpRequest):
    """
    The address that is polled, without anything of who polls it.

    There are no cookies, no session and no user in it, so that nothing of a person comes
    into what is rendered, nor a token against forged forms: scripts fill that in.
    """

    def __init__(self, request: HttpRequest) -> None:
        super().__init__()
        query = request.GET.copy()
        del query["v"]
        self.method = "GET"
        self.path, self.path_info = request.path, request.path_info
        self.resolver_match = request.resolver_match
        self.GET = query  # type: ignore[assignment]
        self.META = {name: request.META[name] for name in _KNOWN if name in request.META}
        self.META["QUERY_STRING"] = query.urlencode()
        self._polled_scheme = request.scheme

    def _get_scheme(self) -> str | None:
        return self._polled_scheme


@dataclass(frozen=True)
class WatchedActor(Actor):
    """An actor that notes whether anything was decided by who they are, beyond their role."""

    _asked: list[str] = field(default_factory=list, compare=False)

    @classmethod
    def like(cls, actor: Actor) -> Self:
        """Return *actor*, watched."""
        return cls(actor.org, actor.role, actor.name, actor.key, actor.user)

    @property
    def is_personal(self) -> bool:
        """Say whether what was made for this actor may differ from that for their peers."""
        return bool(object.__getattribute__(self, "_asked"))

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute, and note it when it tells who the actor is."""
        if name in _WHO:
            object.__getattribute__(self, "_asked").append(name)
        return object.__getattribute__(self, name)
