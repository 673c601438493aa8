"""Search of audit entries with any combination of conditions, at a bounded cost per page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from console.orgs.audit import ACTIONS, KINDS
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor, Permission
from console.paging import MAX_LIMIT, Page, every_row, merged_newest_first, newest_first, newest_of
from console.reading import QueryReader
from console.time_keys import limit_to_times

#: The query parameters, and those that can be repeated.
REPEATABLE: Final = ("action", "kind")
PARAMETERS: Final = (*REPEATABLE, "subject", "actor", "request", "ip", "id", "since", "until")

#: Values of the action filter: an action, or the first word of several.
FAMILIES: Final = tuple(dict.fromkeys(action.partition(".")[0] for action in ACTIONS))

#: Maximum number of entries, the newest first, in which actions are counted.
MOST_COUNTED: Final = 2_000

_KEY: Final = re.compile(r"(user|token):[0-9]{1,19}|command|timer|webhook", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSearch:
    """Conditions on audit entries, which all have to be true; None and empty match all entries."""

    actions: Collection[str] = ()
    kinds: Collection[str] = ()
    subject: str | None = None
    #: Name or key of the actor.
    actor: str | None = None
    request: str | None = None
    ip: str | None = None
    #: Key of one entry.
    id: int | None = None
    #: The start is inclusive, the end is exclusive.
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def from_query(cls, query: QueryDict) -> AuditSearch:
        """Read query parameters; raises BadRequest with every invalid value."""
        reader = QueryReader(query)
        asked = reader.choices("action", (*FAMILIES, *ACTIONS))
        found = cls(
            actions=tuple(a for a in ACTIONS if {a, a.partition(".")[0]} & set(asked)),
            kinds=reader.choices("kind", KINDS),
            subject=reader.text("subject"),
            actor=reader.text("actor"),
            request=reader.text("request"),
            ip=reader.text("ip"),
            id=reader.number("id"),
            since=reader.time("since"),
            until=reader.end("until"),
        )
        reader.finish()
        return found


def sees_all(actor: Actor) -> bool:
    """Return whether *actor* sees the entries of all actors; others see only their own."""
    return actor.may(Permission.READ_AUDIT)


def search_audit(
    actor: Actor, search: AuditSearch, limit: int, cursor: str | None = None
) -> Page[AuditEntry]:
    """Return one page of the entries that *actor* may see and *search* matches, newest first."""
    visible, driven, rest = _conditions(actor, search)
    if sees_all(actor) and _asks_for_actions_alone(search):
        # Each has its own index, so rare entries are found without a scan.
        walks = [visible.filter(rest, action=each) for each in search.actions]
        return merged_newest_first(visible, walks, limit, cursor)
    return newest_first(driven, rest or None, limit, cursor)


def all_audit(actor: Actor, search: AuditSearch) -> Iterator[AuditEntry]:
    """Yield every entry that *actor* may see and *search* matches, newest first."""
    return every_row(lambda cursor: search_audit(actor, search, MAX_LIMIT, cursor))


def count_by_action(actor: Actor, search: AuditSearch) -> dict[str, int]:
    """
    Return the number of entries of each action that *search* matches, ignoring its actions.

    The newest `MOST_COUNTED` entries that *actor* may see are counted.
    """
    _, driven, rest = _conditions(actor, replace(search, actions=()))
    rows = newest_of(driven, MOST_COUNTED).filter(rest)
    return dict(rows.values_list("action").annotate(count=Count("pk")))


def newest_entry(org: Organization) -> int:
    """Return a number that changes with every new entry of *org*."""
    return AuditEntry.objects.filter(org=org).values_list("pk", flat=True).first() or 0


def _conditions(
    actor: Actor, search: AuditSearch
) -> tuple[QuerySet[AuditEntry], QuerySet[AuditEntry], Q]:
    """Return visible entries, the conditions that one index serves, and those checked per row."""
    visible = AuditEntry.objects.filter(org=actor.org)
    if not sees_all(actor):
        visible = visible.filter(actor_key=actor.key)
    visible = limit_to_times(visible, search.since, search.until)
    name = "actor_key" if search.actor and _KEY.fullmatch(search.actor) else "actor"
    wanted: dict[str, Any] = {
        "action__in": search.actions,
        "kind__in": search.kinds,
        "subject": search.subject,
        name: search.actor,
        "request_id": search.request,
        "ip": search.ip,
        "created_at__gte": search.since,
        "created_at__lt": search.until,
    }
    rest = {key: value for key, value in wanted.items() if value}
    driven = visible
    if search.id is not None:
        driven = driven.filter(pk=search.id)
    elif "request_id" in rest:
        driven = driven.filter(request_id=rest.pop("request_id"))
    elif "subject" in rest:
        driven = driven.filter(subject=rest.pop("subject"))
    elif search.actor:
        driven = driven.filter(**{name: rest.pop(name)})
    elif len(search.actions) == 1:
        driven = driven.filter(action=next(iter(search.actions)))
    elif "ip" in rest:
        driven = driven.filter(ip=rest.pop("ip"))
    return visible, driven, Q(**rest)


def _asks_for_actions_alone(search: AuditSearch) -> bool:
    asked = {each.name for each in fields(search) if getattr(search, each.name) != each.default}
    # Times are converted to bounds of the keys.
    return asked - {"since", "until"} == {"actions"} and len(search.actions) > 1
