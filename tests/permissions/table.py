"""Parser of the permission tables: one line per request with its required permission."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final

from console.orgs.permissions import Permission

HERE: Final = Path(__file__).parent

#: Requirements of a line other than a permission.
NOTHING, STRANGER, PERSON, SOMEBODY, SHARE = "nothing", "stranger", "person", "somebody", "SHARE"
_WORDS: Final = {NOTHING, STRANGER, PERSON, SOMEBODY, SHARE, *Permission.__members__}

#: Matches placeholders of objects, which do not exist at addresses of other organizations.
NAMES: Final = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a table."""

    takes: str
    method: str
    path: str
    #: Status of the answer to callers with the permission.
    status: int
    #: Text of the body: JSON if it begins with a brace, a manifest if it begins with its kind, else
    #: a form.
    body: str

    @property
    def id(self) -> str:
        """The id of the line in test reports."""
        return f"{self.method} {self.path} {self.body[:20]}".strip()

    @property
    def is_of_org(self) -> bool:
        """Whether the address names an organization."""
        return "$org" in self.path

    @property
    def is_safe(self) -> bool:
        """Whether the method is safe, that is, only reads."""
        return self.method == "GET"

    @property
    def things(self) -> list[str]:
        """The kinds of objects of the organization that the path, without its query, names."""
        path = self.path.partition("?")[0]
        return [name for name in NAMES.findall(path) if name not in ("org", "me", "link")]

    def address(self, names: Mapping[str, object]) -> str:
        """Return the address with the placeholders replaced by *names*."""
        return Template(self.path).substitute(names)

    def sent(self, names: Mapping[str, object]) -> tuple[str, str]:
        """Return the body with the placeholders replaced by *names*, and its content type."""
        kind = "application/x-www-form-urlencoded"
        if self.body.startswith("{"):
            kind = "application/json"
        elif self.body.startswith("kind:"):
            kind = "application/yaml"
        return Template(self.body).substitute(names), kind


def read_table(name: str) -> list[Line]:
    """Return the lines of the table *name*; raise ValueError for an invalid line."""
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
