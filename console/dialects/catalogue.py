"""The catalogue of diagnostic codes: the Markdown page that explains all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from console.dialects import dialects
from console.dialects.codes import SHARED_CODES, Code
from console.dialects.lints.codes import LINT_CODES

_SHARED: Final = {
    "YML": ("The text", "Errors in the YAML itself, in any config language."),
    "DOC": (
        "Fields and values",
        "Errors in one field or one list, in any config language.",
    ),
}
_ABOUT_LINTS: Final = (
    "Probable mistakes in a valid config of any language, found by comparing the config with the "
    "workloads of the last 30 days, the running workloads and the active version. The editor and "
    "the API show them with the findings above; none of them prevents an apply."
)
_HEAD: Final = """\
# Diagnostics

Every finding has a code that never changes. An *error* prevents the apply; a *warning* does not,
but needs attention; an *info* only informs. A *live* finding depends on more than the text: on
running workloads, recorded workloads or earlier versions, so it can appear and disappear while the
text stays the same. `python manage.py check_config FILE` prints the findings of a file, the editor
marks them, and the API returns them with their exact place and with fixes.

This page is generated from the declarations of the codes; a test checks that both are equal.
"""


@dataclass(frozen=True, slots=True)
class Family:
    """The codes with one prefix, with title and introduction."""

    prefix: str
    title: str
    #: One or more sentences, in Markdown.
    about: str
    codes: tuple[Code, ...]


def every_code() -> tuple[Code, ...]:
    """Return all codes: those of YAML and shared fields, of every dialect, and of lints."""
    own = (code for each in dialects().values() for code in each.codes)
    return (*SHARED_CODES, *own, *LINT_CODES)


def families() -> Iterator[Family]:
    """Yield all codes by family: shared codes first, lints last."""
    for prefix, (title, about) in _SHARED.items():
        codes = tuple(code for code in SHARED_CODES if code.code.startswith(prefix))
        yield Family(prefix, title, about, codes)
    # The default language comes first.
    for dialect in sorted(dialects().values(), key=lambda d: (not d.is_default, d.name)):
        prefix = dialect.codes[0].code[:3]
        yield Family(prefix, dialect.title, dialect.about_codes, tuple(dialect.codes))
    yield Family("LNT", "Lints", _ABOUT_LINTS, tuple(LINT_CODES))


def catalogue() -> str:
    """Return the page about all codes, in Markdown."""
    return "\n".join([_HEAD, *map(_section, families())])


def _section(family: Family) -> str:
    entries = [
        f"### {code.code} {code.title}\n\n*{_kind(code)}*. {code.advice}\n" for code in family.codes
    ]
    return "\n".join([f"## {family.prefix}: {family.title}\n\n{family.about}\n", *entries])


def _kind(code: Code) -> str:
    return f"{code.severity.value}, live" if code.is_live else code.severity.value
