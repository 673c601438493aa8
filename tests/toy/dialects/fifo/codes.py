"""The diagnostic codes of this language."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

ADMITS_NOTHING = Code(
    "FIF001",
    Severity.ERROR,
    "Limit of zero",
    "A line with a limit of 0 admits no workload that requests the resource, and every workload "
    "behind it waits. Raise the limit.",
)
ONE_LINE = Code(
    "FIF002",
    Severity.INFO,
    "Only one line",
    "Every workload joins the only line. Add lines to limit workloads apart from one another.",
)

FIFO_CODES = declared(globals())
