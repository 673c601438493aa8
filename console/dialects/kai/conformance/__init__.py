"""Cases from KAI's own tests: their runners, which compare results of the discipline with KAI's."""

from __future__ import annotations

from typing import Final

from console.dialects.kai.conformance import (
    actions,
    checks,
    durations,
    job_order,
    min_runtime,
    shares,
)
from console.dialects.kai.conformance.runner import Runner

#: Type of a case -> its runner.
RUNNERS: Final[dict[str, Runner]] = {
    **shares.RUNNERS,
    **checks.RUNNERS,
    **min_runtime.RUNNERS,
    **durations.RUNNERS,
    **job_order.RUNNERS,
    **actions.RUNNERS,
}
