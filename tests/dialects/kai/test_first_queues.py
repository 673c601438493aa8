"""The three queues of KAI's own introduction: their findings, and what the fixes make of them."""

from __future__ import annotations

from console.dialects.diagnostics import Diagnostic
from console.dialects.kai import DIALECT
from console.dialects.positions import apply_fix
from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import FairshareSpec
from console.engine.model.amounts import UNLIMITED

#: As an administrator writes them after reading the introduction.
RESEARCH_TEAM = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: research-team
spec:
  priority: 100
  resources:
    cpu:
      quota: 1000
      limit: 2000
    gpu:
      quota: 1
      limit: 2
"""
ML_TEAM = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: ml-team
spec:
  parentQueue: research-team
  resources:
    cpu:
      quota: 500
      overQuotaWeight: 2
    gpu:
      quota: 1
      overQuotaWeight: 1
"""
BURST_QUEUE = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: burst-queue
spec:
  resources:
    cpu:
      quota: -1
      limit: -1
    gpu:
      quota: 0
      limit: -1
"""
TEXT = f"{RESEARCH_TEAM}---\n{ML_TEAM}---\n{BURST_QUEUE}"


def _place(text: str, diagnostic: Diagnostic) -> tuple[str, str, str]:
    """Return the code, the path, and the first line of the text that a finding marks."""
    return diagnostic.code, diagnostic.path, text.splitlines()[diagnostic.span.line - 1].strip()


def _fixed(text: str) -> tuple[str, list[str]]:
    """Return *text* with the first fix of every finding applied, and the titles of the fixes."""
    titles = []
    while fixes := [each.fixes[0] for each in DIALECT.read(text, {}).diagnostics if each.fixes]:
        titles.append(fixes[0].title)
        assert len(titles) < 20
        text = apply_fix(text, fixes[0])
    return text, titles


def test_the_queues_as_written_have_the_findings_that_they_deserve() -> None:
    reading = DIALECT.read(TEXT, {})
    assert reading.ok
    assert [_place(TEXT, each) for each in reading.diagnostics] == [
        # Memory is absent, and the queue gets no surplus without weights.
        ("KAI042", "[0].spec.resources", "cpu:"),
        ("KAI043", "[0].spec.resources.cpu.limit", "limit: 2000"),
        ("KAI043", "[0].spec.resources.gpu.limit", "limit: 2"),
        # The absent limits are 0.
        ("KAI042", "[1].spec.resources", "cpu:"),
        ("KAI041", "[1].spec.resources.cpu.quota", "quota: 500"),
        ("KAI041", "[1].spec.resources.gpu.quota", "quota: 1"),
        # The unlimited quota of CPU needs no weight.
        ("KAI042", "[2].spec.resources", "cpu:"),
        ("KAI043", "[2].spec.resources.gpu.limit", "limit: -1"),
    ]


def test_each_fix_removes_its_finding_and_adds_none() -> None:
    before = DIALECT.read(TEXT, {}).diagnostics
    for at, diagnostic in enumerate(before):
        for fix in diagnostic.fixes:
            after = DIALECT.read(apply_fix(TEXT, fix), {}).diagnostics
            told = [(each.code, each.message) for each in after]
            others = [(each.code, each.message) for each in (*before[:at], *before[at + 1 :])]
            assert told == others, fix.title


def test_the_fixed_queues_have_no_findings_and_may_use_all_resources() -> None:
    fixed, titles = _fixed(TEXT)
    reading = DIALECT.read(fixed, {})
    assert reading.diagnostics == ()
    assert reading.policy is not None
    assert isinstance(reading.policy.spec, FairshareSpec)
    assert titles == [
        "Add memory without limit",
        *["Add overQuotaWeight: 1"] * 2,
        "Add memory without limit",
        *["Add limit: -1"] * 2,
        "Add memory without limit",
        "Add overQuotaWeight: 1",
    ]
    queues = reading.policy.spec.queues
    assert {name: each.limit for name, each in queues.items()} == {
        "research-team": PerResource(2000, UNLIMITED, 2000),
        "ml-team": PerResource(UNLIMITED, UNLIMITED, UNLIMITED),
        "burst-queue": PerResource(UNLIMITED, UNLIMITED, UNLIMITED),
    }
