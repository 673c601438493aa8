"""Names of objects, filters and preferences, and the names that SkyShift gives to clusters."""

from __future__ import annotations

import re
from typing import Final

from console.dialects.findings import Findings, Repair
from console.dialects.repairs import replace
from console.dialects.skyshift.codes import BAD_NAME, SANITIZED_NAME
from console.dialects.wording import shorten
from console.dialects.written import Read, Written
from console.engine.disciplines.placement.read_placement import LONGEST_NAME, NAME_RULE, is_name

#: Characters that SkyShift replaces in names of clusters (SkyShift, spec 1.3).
_REPLACED: Final = {
    " ": "-space-",
    "/": "-dash-",
    "@": "-at-",
    "_": "-underscore-",
}
_REPLACEMENTS = str.maketrans(_REPLACED)


def check_name(name: Read[str], what: str, findings: Findings) -> None:
    """Report a text that is not a name (SkyShift, spec 1.1)."""
    if not isinstance(name, Written) or is_name(name.value):
        return
    repairs: tuple[Repair, ...] = ()
    meant = re.sub(r"[^a-z0-9]+", "-", name.value.lower()).strip("-")[:LONGEST_NAME].rstrip("-")
    if is_name(meant):
        repairs = (replace(name.place, meant),)
    message = f'"{shorten(name.value)}" cannot be the name of {what}.'
    findings.add(BAD_NAME, name.place, message, NAME_RULE, repairs)


def sanitized(name: str) -> str:
    """
    Return the name that SkyShift gives to a cluster.

    >>> sanitized("gke_eu@prod/a b")
    'gke-underscore-eu-at-prod-dash-a-space-b'
    """
    return name.translate(_REPLACEMENTS)


def read_cluster_name(name: Read[str], findings: Findings) -> Read[str]:
    """Return the name that SkyShift gives to a cluster, and report a name that it changes."""
    if not isinstance(name, Written):
        return name
    result = sanitized(name.value)
    if result != name.value:
        findings.add(
            SANITIZED_NAME,
            name.place,
            f'SkyShift changes the name "{shorten(name.value)}" to "{shorten(result, 200)}".',
            "Write the resulting name, which the cluster reports.",
            (replace(name.place, result),),
        )
    return Written(result, name.place)
