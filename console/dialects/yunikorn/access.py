"""Access lists, and the names of users and groups."""

from __future__ import annotations

import re
from typing import Final

from console.dialects.findings import Edit, Place, Repair
from console.dialects.scalars import write_text
from console.dialects.wording import quote, shorten
from console.dialects.written import Written
from console.dialects.yunikorn.codes import ACL_NAME, ACL_SPACES
from console.dialects.yunikorn.problems import Problems, Stage
from console.engine.disciplines.hierarchy.spec import AccessList

ALL_USERS: Final = "*"
#: Users in access lists and filters; those of limits may have more characters.
USER: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9_.@-]*[$]?")
GROUP: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9_-]*")
#: Users of filters and limits.
LIMITED_USER: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?")
LIMITED_GROUP: Final = re.compile(r"[_a-zA-Z][a-zA-Z0-9:_.-]*")
#: Users, and groups.
_MOST_PARTS: Final = 2


def read_access(text: str) -> AccessList:
    """
    Return the access list in a text; names that no one can have are left out.

    >>> read_access("ann,bob dev").allows("cid", ["dev"]), read_access(" *").is_all_users
    (True, True)
    """
    parts = text.split(" ")
    users, groups = parts[0], parts[1] if len(parts) > 1 else ""
    if ALL_USERS in (users, groups):
        return AccessList(is_all_users=True)
    return AccessList(
        users=frozenset(filter(USER.fullmatch, users.split(","))),
        groups=frozenset(filter(GROUP.fullmatch, groups.split(","))),
    )


def check_access(written: Written[str] | None, problems: Problems) -> None:
    """Report an access list with several spaces that YuniKorn's check refuses."""
    if written is None:
        return
    trimmed = written.value.strip()
    if len(trimmed.split()) > _MOST_PARTS:
        _note_spaces(written.place, trimmed, trimmed, problems, Stage.CHECK)


def check_access_of_load(written: Written[str] | None, problems: Problems) -> None:
    """Report an access list that YuniKorn refuses when it starts, and names without effect."""
    if written is None:
        return
    text = written.value
    parts = text.split(" ")
    if len(parts) > _MOST_PARTS:
        if len(text.split()) <= _MOST_PARTS:
            _note_spaces(written.place, text, text, problems, Stage.LOAD)
        return
    if ALL_USERS in parts:
        return
    for part, pattern, what in zip(parts, (USER, GROUP), ("user", "group"), strict=False):
        for name in part.split(","):
            if not name or pattern.fullmatch(name):
                continue
            hint = "Begin a list of groups with a space: users come first."
            if name == ALL_USERS:
                hint = "Write * alone for all users."
            elif what == "group":
                hint = "Groups have letters, digits, _ and -."
            problems.add(
                ACL_NAME,
                written.place,
                f"{quote(name)} is not a name of a {what}, and has no effect in the access list.",
                hint,
            )


def _note_spaces(place: Place, text: str, shown: str, problems: Problems, stage: Stage) -> None:
    fields = text.split()
    repairs: tuple[Repair, ...] = ()
    if len(fields) == _MOST_PARTS or (len(fields) == 1 and text.strip()):
        leading = " " if len(fields) == 1 and text.startswith(" ") else ""
        better = leading + " ".join(fields)
        edit = Edit(place.start, place.end, write_text(better, plain=not leading))
        repairs = (Repair(f'Replace with "{shorten(better)}"', (edit,)),)
    original = f"multiple spaces found in ACL: '{shown}'"
    problems.add(
        ACL_SPACES,
        place,
        f"The access list {quote(text)} has more than one space.",
        "Write users, one space, groups: ann,bob dev,ops.",
        repairs,
        original=original
        if stage is Stage.CHECK
        else f"configured queue creation failed: \n{original}",
        stage=stage,
    )
