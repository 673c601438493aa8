"""Rows of the loans table: borrower and lender per flavor-resource, with equal loans grouped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from console.engine.disciplines.quota.spec import spec_of
from console.engine.disciplines.read_model import Loan
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.wording.words import quantity, resource_name
from console.pages.presenters.quota.lending import reclaim_words, rule_origin
from console.pages.presenters.quota_bars.quota_bar import up_to
from console.workloads.queries.over_quota import OverQuotaSince

#: Maximum number of queues named in a cell.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Side:
    """One borrower or lender; *part* is its amount, or empty if it is the only one."""

    name: str
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoanRow:
    """Loans of one flavor-resource with the same reclaim rule, in one row."""

    borrowers: tuple[Side, ...]
    lenders: tuple[Side, ...]
    #: Number of borrowers or lenders that are not named.
    more: int
    #: Whether the lender is a cohort with its own quota.
    is_from_cohort: bool
    place: str
    amount: str
    #: Reclaim rule of the lender.
    back: str
    #: Position of the rule in the config; None for a cohort's own quota.
    origin: Origin | None
    #: When the borrower exceeded its nominal quota, the earliest of several; None if not recorded.
    since: datetime | None
    #: Id of the row, stable while loans of the group exist.
    key: str


@dataclass(frozen=True, slots=True)
class LoanGroup:
    """Loans that are shown in one row."""

    #: The common facts: role and name of the single side, flavor, resource, lending cohort, rule.
    key: tuple[str, ...]
    loans: list[Loan]


def loan_rows(
    loans: Iterable[Loan],
    policy: Policy,
    lender: str = "",
    over_quota_since: OverQuotaSince | None = None,
) -> tuple[LoanRow, ...]:
    """Return the rows of *loans*; see `loan_groups` and `loan_row`."""
    return tuple(
        loan_row(group, policy, over_quota_since) for group in loan_groups(loans, policy, lender)
    )


def loan_groups(loans: Iterable[Loan], policy: Policy, lender: str = "") -> list[LoanGroup]:
    """
    Return *loans* in groups, in their order.

    Loans of a flavor-resource to one borrower are one group for all lenders with the same reclaim
    rule. Loans of a flavor-resource by *lender* are one group for all borrowers.
    """
    rows: dict[tuple[str, ...], list[Loan]] = {}
    for loan in loans:
        side = ("lends", "") if loan.lender == lender else ("borrows", loan.borrower)
        kind = loan.lender if loan.is_from_cohort else ""
        key = (*side, loan.flavor, loan.resource, kind, _reclaim_text(loan, policy))
        rows.setdefault(key, []).append(loan)
    return [LoanGroup(key, alike) for key, alike in rows.items()]


def loan_row(
    group: LoanGroup, policy: Policy, over_quota_since: OverQuotaSince | None = None
) -> LoanRow:
    """Return the row of a group; *over_quota_since* has the start of use above nominal quota."""
    key, loans = group.key, group.loans
    known = over_quota_since or {}
    first = loans[0]
    lends = key[0] == "lends"
    alone = (Side(first.lender if lends else first.borrower),)
    places = [(loan.borrower, loan.flavor, loan.resource) for loan in loans]
    sides = _sides([(loan.borrower if lends else loan.lender, loan) for loan in loans])
    return LoanRow(
        borrowers=sides if lends else alone,
        lenders=alone if lends else sides,
        more=max(0, len(loans) - _NAMED),
        is_from_cohort=first.is_from_cohort,
        place=f"{resource_name(first.resource)} on {first.flavor}",
        amount=up_to(
            sum(loan.amount for loan in loans),
            first.resource,
            all(loan.is_certain for loan in loans),
        ),
        back=_reclaim_text(first, policy),
        origin=None if first.is_from_cohort else rule_origin(spec_of(policy).queues[first.lender]),
        since=min((known[place].since for place in places if place in known), default=None),
        key="\0".join(key).encode().hex(),
    )


def _sides(named: list[tuple[str, Loan]]) -> tuple[Side, ...]:
    if len(named) == 1:
        return (Side(named[0][0]),)
    return tuple(Side(name, quantity(loan.amount, loan.resource)) for name, loan in named[:_NAMED])


def _reclaim_text(loan: Loan, policy: Policy) -> str:
    if loan.is_from_cohort:
        return (
            f"The borrower can lose all of it to queues of cohort {loan.lender} that reclaim, up "
            "to the quota of that cohort"
        )
    return reclaim_words(spec_of(policy).queues[loan.lender], spec_of(policy).settings)
