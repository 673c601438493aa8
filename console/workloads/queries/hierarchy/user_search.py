"""Search conditions of users and groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from console.engine.disciplines.hierarchy.user_report import HolderUse
from console.reading import QueryReader

KINDS: Final = ("user", "group")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSearch:
    """Conditions on users and groups."""

    #: A part of the name, case-insensitive.
    q: str = ""
    #: One of `KINDS`; empty: both.
    kind: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> UserSearch:
        """Return the search in *query*; raises BadRequest with every wrong value."""
        reader = QueryReader(query)
        found = cls(q=reader.text("q") or "", kind=reader.choice("kind", KINDS) or "")
        reader.finish()
        return found

    def applied(self, holders: Iterable[HolderUse]) -> list[HolderUse]:
        """Return the users and groups that meet the conditions, in their order."""
        part = self.q.casefold()
        return [
            each
            for each in holders
            if part in each.name.casefold()
            and (not self.kind or each.is_group is (self.kind == "group"))
        ]
