"""Comparison of two traces: the facts of both in words, stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.engine.explain.disciplines import own_stages
from console.engine.explain.explain_sections import Stage
from console.engine.explain.sentences import ExplainContext
from console.engine.explain.stages import in_order

_NOTHING: Final = "—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One row of a comparison: the name of a fact, and its value in both traces."""

    stage: str
    what: str
    one: str
    other: str

    @property
    def is_same(self) -> bool:
        """Whether both values are equal."""
        return self.one == self.other


def compare(one: ExplainContext, other: ExplainContext) -> tuple[Compared, ...]:
    """Return the comparison of two traces, in the order of the stages."""
    of_one, of_other = own_stages(one.trace), own_stages(other.trace)
    first, second = in_order(of_one), in_order(of_other)
    found = []
    for code in in_order({**of_one, **of_other}):
        facts, others = _facts(first.get(code), one), _facts(second.get(code), other)
        found += [
            Compared(
                stage=code,
                what=what,
                one=facts.get(what, _NOTHING),
                other=others.get(what, _NOTHING),
            )
            for what in {**facts, **others}
        ]
    return tuple(found)


def _facts(stage: Stage | None, context: ExplainContext) -> dict[str, str]:
    return dict(stage.facts(context)) if stage is not None else {}
