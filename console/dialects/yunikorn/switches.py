"""The switches of a config: in which points YuniKorn's own behavior is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from console.dialects.findings import Findings
from console.dialects.repairs import did_you_mean
from console.dialects.wording import quote
from console.dialects.written import Written
from console.dialects.yunikorn.codes import UNKNOWN_SWITCH
from console.engine.disciplines.hierarchy.spec import YUNIKORN, Compatibility

#: The word for all switches.
ALL: Final = "yunikorn"
NAMES: Final = tuple(each.name for each in fields(Compatibility))


def read_switches(written: Iterable[Written[str]], findings: Findings) -> Compatibility:
    """Return the switches with the stated names, and report unknown names."""
    found: dict[str, bool] = {}
    for each in written:
        if each.value == ALL:
            found |= {name: getattr(YUNIKORN, name) for name in NAMES}
        elif each.value in NAMES:
            found[each.value] = True
        else:
            hint, repairs = did_you_mean(findings, each.place, each.value, (ALL, *NAMES))
            findings.add(
                UNKNOWN_SWITCH,
                each.place,
                f"{quote(each.value)} is not the name of a difference from YuniKorn.",
                hint or f"Write {ALL} for all differences.",
                repairs,
            )
    return Compatibility(**found)
