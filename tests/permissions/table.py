"""The permission tables: one line for each request, with the required permission."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final

from console.orgs.permissions import Permission

HERE: Final = Path(__file__).parent

#: What a line may take besides a permission.
NOTHING, STRANGER, PERSON, SOMEBODY, SHARE = "nothing", "stranger", "person", "somebody", "SHARE"
_WORDS: Final = {NOTHING, STRANGER, PERSON, SOMEBODY, SHARE, *Permission.__members__}

#: Names of things that are somewhere: what is at an address of another one is not there.
NAMES: Final = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a table."""

    takes: str
    method: str
    path: str
    #: Status of the answer to whoever may.
    status: int
    #: Text of the body; a form unless it begins with a brace.
    body: str

    @property
    def id(self) -> str:
        """Name the line in a report."""
        return f"{self.method} {self.path} {self.body[:20]}".strip()

    @property
    def is_of_org(self) -> bool:
        """Say whether it is about one organization that the address names."""
        return "$org" in self.path

    @property
    def is_safe(self) -> bool:
        """Say whether it only looks."""
        return self.method == "GET"

    @property
    def things(self) -> list[str]:
        """The things of the organization that its path names, without its query."""
        path = self.path.partition("?")[0]
        return [name for name in NAMES.findall(path) if name not in ("org", "me", "link")]

    def address(self, names: Mapping[str, object]) -> str:
        """Return the address with *names* in their places."""
        return Template(self.path).substitute(names)

    def sent(self, names: Mapping[str, object]) -> tuple[str, str]:
        """Return the body with *names* in their places, and its type."""
        is_json = self.body.startswith("{")
        kind = "application/json" if is_json else "application/x-www-form-urlencoded"
        return Template(self.body).substitute(names), kind


def read_table(name: str) -> list[Line]:
    """Return the lines of the table *name*; raises ValueError for one that cannot be meant."""
    lines = []
    for text in (HERE / f"{name}.txt").read_text().splitlines():
        if not text or text.startswith("#"):
            continue
        takes, method, path, status, *body = text.split(maxsplit=4)
        if takes not in _WORDS:
            raise ValueError(text)
        lines.append(
            Line(
                takes=takes,
                method=method,
                path=path,
                status=int(status),
                body=body[0] if body else "",
            )
        )
    return lines


PAGES: Final = read_table("pages")
API: Final = read_table("api")
CLIENT: Final = read_table("client")
