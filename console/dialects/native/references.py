"""References by name: the defined names, and the finding for an undefined one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.dialects.codes import Code
from console.dialects.findings import Findings
from console.dialects.repairs import did_you_mean
from console.dialects.wording import shorten
from console.dialects.written import Read, Written


@dataclass(frozen=True, slots=True)
class DefinedNames:
    """The names that a section of a document defines."""

    what: str
    section: str
    names: Mapping[str, object]
    #: False if an entry or its name is invalid: an unknown name may be that entry's.
    all_known: bool

    def check(self, name: Read[str], code: Code, findings: Findings) -> None:
        """Report *name* if it is not defined."""
        if not isinstance(name, Written) or name.value in self.names:
            return
        hint, repairs = did_you_mean(findings, name.place, name.value, self.names)
        if repairs or self.all_known:
            findings.add(
                code,
                name.place,
                f'{self.what} "{shorten(name.value)}" is not defined in {self.section}.',
                hint or f"Add it to {self.section}, or use a name that is defined there.",
                repairs,
            )
