"""Reads mappings of quantities, each once, and reports quantities that cannot be read."""

from __future__ import annotations

from console.dialects.findings import Place, Repair
from console.dialects.repairs import replace
from console.dialects.wording import quote, shorten
from console.dialects.written import UNREAD, Unread, Written
from console.dialects.yunikorn.problems import Problems, Stage
from console.dialects.yunikorn.quantities import QuantityProblem, read_quantity
from console.dialects.yunikorn.schema import Texts
from console.engine.disciplines.hierarchy.resources import Resources


class Amounts:
    """The amounts in mappings of quantities."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        #: By identity of the mapping: an alias may repeat one.
        self._known: dict[int, Resources | Unread] = {}
        #: The mappings whose amounts are known, so that identities stay unique.
        self._kept: list[Written[Texts]] = []

    def read(
        self,
        written: Written[Texts] | None,
        *,
        before: str = "",
        stage: Stage = Stage.CHECK,
    ) -> Resources | Unread | None:
        """
        Return the amounts in a mapping; None if it is absent, UNREAD if one cannot be read.

        *before* is the text before YuniKorn's message about the first reading of the mapping.
        """
        if written is None:
            return None
        known = self._known.get(id(written))
        if known is None:
            known = self._read(written.value, before, stage)
            self._known[id(written)] = known
            self._kept.append(written)
        return known

    def _read(self, texts: Texts, before: str, stage: Stage) -> Resources | Unread:
        found: dict[str, int] = {}
        is_valid = True
        for key, text in texts:
            amount = read_quantity(text.value, key.value)
            if isinstance(amount, QuantityProblem):
                is_valid = False
                self._note(key.value, text.value, text.place, amount, before, stage)
            else:
                found[key.value] = amount
        return found if is_valid else UNREAD

    def _note(
        self,
        resource: str,
        text: str,
        place: Place,
        problem: QuantityProblem,
        before: str,
        stage: Stage,
    ) -> None:
        repairs: tuple[Repair, ...] = ()
        if problem.instead:
            repairs = (replace(place, problem.instead),)
        self._problems.add(
            problem.code,
            place,
            f"{shorten(resource)}: {quote(text)} {problem.message}.",
            problem.hint,
            repairs,
            original=before + problem.original,
            stage=stage,
        )


def show_original(amounts: Resources | None) -> str:
    """
    Return amounts as messages of YuniKorn show them.

    >>> show_original({"vcore": 1000, "memory": 5}), show_original(None)
    ('map[memory:5 vcore:1000]', 'nil resource')
    """
    if amounts is None:
        return "nil resource"
    return f"map[{' '.join(f'{name}:{amounts[name]}' for name in sorted(amounts))}]"
