"""What the view of a live page is given for a poll, so that its answer may go to others too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

from django.http import HttpRequest

from console.orgs.permissions import GRANTS, Actor, Permission

#: Of what a server and a browser say, this alone is known to a view that answers a poll.
_KNOWN: Final = ("SERVER_NAME", "SERVER_PORT", "HTTP_HOST", "HTTP_X_FORWARDED_HOST")

_WHO: Final = frozenset({"name", "key", "user"})


def is_poll(request: HttpRequest) -> bool:
    """Return whether the request is an automatic poll, which is no activity of the person."""
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
    """An actor that notes what was decided by who they are and by what they may do."""

    _asked: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def like(cls, actor: Actor) -> Self:
        """Return *actor*, watched."""
        return cls(actor.org, actor.role, actor.name, actor.key, actor.user)

    @property
    def is_personal(self) -> bool:
        """Say whether what was made for this actor may differ from that for their peers."""
        return not _WHO.isdisjoint(self._asked)

    @property
    def asked(self) -> frozenset[Permission]:
        """Return the permissions that may have made a difference: all where the role itself did."""
        if "role" in self._asked:
            return frozenset(Permission)
        return frozenset(each for each in Permission if each in self._asked)

    def may(self, permission: Permission) -> bool:
        """Say whether the role includes *permission*, and note that it was asked for."""
        self._asked.add(permission)
        return permission in GRANTS[object.__getattribute__(self, "role")]

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute, and record reads of the actor's identity or role."""
        if name in _WHO or name == "role":
            object.__getattribute__(self, "_asked").add(name)
        return object.__getattribute__(self, name)


class Peers:
    """
    Cache keys of actors, equal if a page's permission checks have the same results.

    The checked permissions are recorded during rendering, and the set only grows. Before the first
    rendering, actors with the same role are equal.
    """

    def __init__(self) -> None:
        self._asked: dict[str, frozenset[Permission]] = {}

    def of(self, page: str, actor: Actor) -> str:
        """Return what is the same for all who may be given what was rendered of *page*."""
        asked = self._asked.get(page, frozenset(Permission))
        return " ".join(f"{each.name}:{actor.may(each)}" for each in Permission if each in asked)

    def learn(self, page: str, asked: frozenset[Permission]) -> None:
        """Note what was asked while *page* was rendered."""
        self._asked[page] = self._asked.get(page, frozenset()) | asked
