"""The catalogue of diagnostic codes: the page that explains every one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from console.dialects.codes import Code

_OWNERS: Final = {
    "YML": ("The text", "What is wrong with the YAML itself, in any config language."),
    "DOC": (
        "Fields and values",
        "What is wrong with one field or one list, in any config language.",
    ),
    "NAT": ("The native config", "What the fields of a native config say together."),
    "KUE": (
        "Kueue",
        "What Kueue refuses in its manifests, and what nobody tells its admins: rules between "
        "objects, and settings that do not do what they seem to.",
    ),
}
_HEAD: Final = """\
# Diagnostics

Every finding has a code that stays the same for ever. An *error* stops the apply; a *warning*
is shown and does not; an *info* only informs. `python manage.py check_config FILE` prints the
findings of a file, the editor marks them, and the API answers them with their exact place and
with fixes that can be applied as they are.

This page is generated from the declarations of the codes; a test keeps the two equal.
"""


def catalogue(codes: Iterable[Code]) -> str:
    """Return the page about *codes*, in Markdown."""
    by_owner: dict[str, list[Code]] = {owner: [] for owner in _OWNERS}
    for code in codes:
        by_owner[code.code[:3]].append(code)
    return "\n".join([_HEAD, *(_section(owner, of) for owner, of in by_owner.items() if of)])


def _section(owner: str, codes: list[Code]) -> str:
    title, lead = _OWNERS[owner]
    entries = [
        f"### {code.code} {code.title}\n\n*{code.severity.value}*. {code.advice}\n"
        for code in codes
    ]
    return "\n".join([f"## {owner}: {title}\n\n{lead}\n", *entries])
