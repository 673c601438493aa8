"""Lints of Kueue's objects: probable mistakes in a valid text."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.kueue.lint_cohorts import lint_cohorts
from console.dialects.kueue.lint_deleted import lint_deleted
from console.dialects.kueue.lint_flavors import lint_flavors
from console.dialects.kueue.lint_preemption import lint_preemption
from console.dialects.kueue.lint_reach import lint_reach
from console.dialects.kueue.lint_sharing import lint_sharing
from console.dialects.kueue.schema import Document
from console.engine.model.policy import Policy


def lint(document: Document, policy: Policy, findings: Findings) -> None:
    """Report probable mistakes in objects without errors; *policy* is their compiled form."""
    lint_deleted(document, findings)
    lint_reach(document, policy, findings)
    lint_flavors(document, findings)
    lint_cohorts(document, policy, findings)
    lint_sharing(document, policy, findings)
    lint_preemption(document, policy, findings)
