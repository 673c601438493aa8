"""References by name: what is defined, and what to say about a name that is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from console.dialects.codes import Code
from console.dialects.findings import Findings
from console.dialects.repairs import did_you_mean
from console.dialects.wording import shorten
from console.dialects.written import Read, Written


@dataclass(frozen=True, slots=True)
class Defined:
    """The names that one section of a document defines."""

    what: str
    section: str
    names: Mapping[str, object]
    #: False when an entry or its name could not be read: an unknown name may be that one.
    all_known: bool

    def check(self, name: Read[str], code: Code, findings: Findings) -> None:
        """Note *name* when it is written and not defined."""
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
