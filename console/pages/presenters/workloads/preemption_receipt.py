"""Receipt of a preemption: page data and Markdown text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from console.engine.explain import StageText, Verdict
from console.engine.wording.reasons import event_sentence, reason_title
from console.engine.wording.words import amounts, places, plural
from console.pages.personal_formats import active_formats
from console.pages.presenters.charts.labels import duration_text
from console.pages.presenters.workloads.workload import Fact, facts_of
from console.workloads.markdown import Links, at, escaped, stage_lines, table_lines
from console.workloads.receipts import MOST_COUNTED, Preemption, Receipt, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRow:
    """The victim or the beneficiary."""

    role: str
    side: Side
    wants: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPage:
    """Data of the receipt's page."""

    number: int
    at: datetime
    reason: str
    headline: str
    config_version: int
    sides: tuple[SideRow, ...]
    freed: str
    released: str
    times: str
    policy: tuple[Fact, ...]
    search: tuple[Fact, ...]


def receipt_page(receipt: Receipt, kept_since: datetime | None) -> ReceiptPage:
    """Return the page data of *receipt*; events before *kept_since* are deleted."""
    short = receipt.preemption
    return ReceiptPage(
        number=short.number,
        at=short.at,
        reason=reason_title(short.reason),
        headline=receipt.explained.explanation.headline,
        config_version=short.config_version,
        sides=tuple(_sides(short)),
        freed=places(receipt.frees) or "No resource with quota.",
        released=_released(receipt, kept_since),
        times=_times(receipt),
        policy=_policy_facts(receipt),
        search=_facts(receipt.search, receipt),
    )


def receipt_markdown(receipt: Receipt, page: ReceiptPage, url: str, links: Links) -> str:
    """Return *receipt* as Markdown."""
    short = receipt.preemption
    lines = [
        f"**Preemption {short.number}**: {escaped(page.headline)}",
        "",
        f"Preempted {at(short.at)} under config v{short.config_version}. [Open it]({url})",
        "",
        *table_lines(
            ("", "Workload", "Queue", "Priority", "Requested"),
            (
                (
                    row.role,
                    row.side.name,
                    row.side.queue or "-",
                    "-" if row.side.priority is None else str(row.side.priority),
                    row.wants,
                )
                for row in page.sides
            ),
        ),
        "",
        f"- Frees: {escaped(page.freed)}",
        f"- Released: {escaped(page.released)}",
        f"- Preemptions: {escaped(page.times)}",
    ]
    for stage, title in (
        (receipt.policy, "Policy"),
        (receipt.search, "Other candidates"),
    ):
        if stage is not None:
            lines += ["", *stage_lines(stage, short.config_version, links, title)]
    return "\n".join(lines) + "\n"


def _sides(short: Preemption) -> Iterator[SideRow]:
    yield SideRow(
        role="Preempted", side=short.victim, wants=amounts(short.victim.requests) or "none"
    )
    if short.beneficiary is not None:
        wants = amounts(short.beneficiary.requests) or "none"
        yield SideRow(role="Beneficiary", side=short.beneficiary, wants=wants)


def _released(receipt: Receipt, kept_since: datetime | None) -> str:
    if receipt.released_at is not None and receipt.released_by is not None:
        took = duration_text((receipt.released_at - receipt.preemption.at).total_seconds())
        what = event_sentence(receipt.released_by, {"name": receipt.preemption.victim.name})
        return f"{at(receipt.released_at)}, after {took}: {what}"
    if receipt.is_stopping:
        return "Not yet: the workload is stopping and still uses its quota."
    if kept_since is not None and receipt.preemption.at < kept_since:
        return f"No longer recorded: events before {active_formats().day(kept_since)} are not kept."
    return "Not recorded."


def _times(receipt: Receipt) -> str:
    if receipt.times == 1:
        return "First preemption of this workload."
    more = "at least " if receipt.times == MOST_COUNTED else ""
    stops = f"Preemption number {more}{receipt.times} of this workload"
    if receipt.preemption.beneficiary is None:
        return f"{stops}."
    return f"{stops}; {plural(receipt.times_for_it, 'time')} by the same workload."


def _policy_facts(receipt: Receipt) -> tuple[Fact, ...]:
    """
    Return the preemption policy that allowed the preemption.

    All verdicts are neutral: the trace belongs to the victim, and the page is about both workloads.
    """
    stage = receipt.policy
    if stage is None:
        return ()
    neutral = (replace(sentence, verdict=Verdict.INFO) for sentence in stage.sentences)
    return facts_of(neutral, receipt.names)


def _facts(stage: StageText | None, receipt: Receipt) -> tuple[Fact, ...]:
    return facts_of(stage.sentences, receipt.names) if stage is not None else ()
