"""The explain sections of quota: its stages, headlines and fixes in one value."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.quota.explain.compared import flavor_answers, preemption_answers
from console.engine.disciplines.quota.explain.fixes import flavor_fixes
from console.engine.disciplines.quota.explain.flavors import flavors
from console.engine.disciplines.quota.explain.headline import borrowing, no_flavor
from console.engine.disciplines.quota.explain.preemption import candidates, preemption
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED

EXPLAIN_SECTIONS: Final = ExplainSections(
    stages=(
        Stage(code="flavors", words=flavors, facts=flavor_answers),
        Stage(code="preemption", words=preemption, facts=preemption_answers),
    ),
    headlines={NO_FLAVOR_MATCHED: no_flavor},
    mentioned=candidates,
    start=borrowing,
    fixes=flavor_fixes,
)
