"""Request and actor of a poll: they show if a rendered page can be shared between users."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

from django.http import HttpRequest

from console.orgs.permissions import GRANTS, Actor, Permission

#: Request headers and server variables that a poll's view can read; all others are removed.
_KNOWN: Final = ("SERVER_NAME", "SERVER_PORT", "HTTP_HOST", "HTTP_X_FORWARDED_HOST")

_IDENTITY: Final = frozenset({"name", "key", "user"})


def is_poll(request: HttpRequest) -> bool:
    """Return whether the request is an automatic poll, which does not count as user activity."""
    return request.method == "GET" and "v" in request.GET


class PollRequest(HttpRequest):
    """
    A request with the polled address and no data of the user.

    It has no cookies, session or user, so that the rendered page contains no personal data and
    no CSRF token: scripts insert the token.
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
    """An actor that records reads of its identity and its permission checks."""

    _reads: set[str] = field(default_factory=set, compare=False)

    @classmethod
    def like(cls, actor: Actor) -> Self:
        """Return a watched copy of *actor*."""
        return cls(actor.org, actor.role, actor.name, actor.key, actor.user)

    @property
    def is_personal(self) -> bool:
        """Return whether the page read the actor's identity, so that it cannot be shared."""
        return not _IDENTITY.isdisjoint(self._reads)

    @property
    def checked_permissions(self) -> frozenset[Permission]:
        """Return the permissions that were checked; all permissions if the role itself was read."""
        if "role" in self._reads:
            return frozenset(Permission)
        return frozenset(each for each in Permission if each in self._reads)

    def may(self, permission: Permission) -> bool:
        """Return whether the role includes *permission*, and record the check."""
        self._reads.add(permission)
        return permission in GRANTS[object.__getattribute__(self, "role")]

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute, and record reads of the actor's identity or role."""
        if name in _IDENTITY or name == "role":
            object.__getattribute__(self, "_reads").add(name)
        return object.__getattribute__(self, name)


class Peers:
    """
    Cache keys of actors, equal if a page's permission checks have the same results.

    The checked permissions are recorded during rendering, and the set only grows. Before the first
    rendering, actors with the same role are equal.
    """

    def __init__(self) -> None:
        self._checked: dict[str, frozenset[Permission]] = {}

    def of(self, page: str, actor: Actor) -> str:
        """Return the part of the cache key that is equal for all actors who can share *page*."""
        checked = self._checked.get(page, frozenset(Permission))
        return " ".join(f"{each.name}:{actor.may(each)}" for each in Permission if each in checked)

    def learn(self, page: str, permissions: frozenset[Permission]) -> None:
        """Add *permissions* that were checked while *page* was rendered."""
        self._checked[page] = self._checked.get(page, frozenset()) | permissions
