"""
Lending: attribution of borrowed quota in a cohort to the queues and cohorts that lend it.

Quota in a cohort is pooled. The borrowed amounts follow from the numbers; the lender of
each borrower does not, if several queues could lend. One convention makes the accounts
add up:

* The usage of a queue beyond its nominal quota comes from the nearest cohort with any
  quota left, then from the cohorts above. This part is arithmetic: a cohort is charged
  only the overflow of the quota below it (Kueue, spec 5.4).
* Within one cohort, its own quota is lent first, because it belongs to no queue. Then
  every queue and cohort in it lends in proportion to what it could still lend.
* If the pool is smaller than the sum that queues draw, every borrower gets a share in
  proportion to what it draws. The part that remains uncovered at the root is over nominal
  and not borrowed: quota was reduced after admission.
* Borrowers and lenders are paired in the order of the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import NO_QUOTA
from console.engine.disciplines.quota.spec import Quota, ResourceGroup, spec_of
from console.engine.disciplines.read_model import Loan, Used
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, FlavorResource, Unlimited
from console.engine.model.policy import Policy

#: Units of splitting: multiples of a unit are split into multiples of it. Gi and Mi are for bytes.
_UNITS = (2**30 * SCALE, 2**20 * SCALE, SCALE, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """
    A queue's usage of one flavor-resource, by the owner of the quota, and its lent quota.

    Amounts are in thousandths. Usage is ``own + borrowed + over``. A queue that borrows
    lends nothing, and ``own + lent`` never exceeds nominal quota.
    """

    own: int = 0
    borrowed: int = 0
    #: Beyond nominal quota, and lent by no queue or cohort.
    over: int = 0
    lent: int = 0
    #: Whether no other attribution of *lent* and *borrowed* is possible.
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Lending:
    """All loans of one policy."""

    #: By queue and flavor-resource, if any of it is used or lent.
    positions: Mapping[tuple[str, FlavorResource], Position]
    #: By flavor-resource, then in the order of borrowers and lenders.
    loans: tuple[Loan, ...]

    def position(self, queue: str, key: FlavorResource) -> Position:
        """Return the position of *queue* in *key*; all zero if it uses and lends nothing."""
        return self.positions.get((queue, key), NO_POSITION)


NO_POSITION = Position()


def lending(policy: Policy, used: Used) -> Lending:
    """Return the loans under *policy*; usage of queues that it does not have is ignored."""
    quotas = _Quotas(policy)
    loans = [loan for tree in quotas.trees.roots for loan in _loans_in(tree, quotas, used)]
    borrowed: defaultdict[tuple[str, FlavorResource], int] = defaultdict(int)
    lent: defaultdict[tuple[str, FlavorResource], int] = defaultdict(int)
    uncertain = set()
    for loan in loans:
        key = (loan.flavor, loan.resource)
        borrowed[loan.borrower, key] += loan.amount
        if not loan.is_from_cohort:
            lent[loan.lender, key] += loan.amount
        if not loan.is_certain:
            uncertain |= {(loan.borrower, key), (loan.lender, key)}
    positions = {}
    places = {(name, key) for name in spec_of(policy).queues for key in used.get(name, ())}
    for place in places | lent.keys():
        name, key = place
        amount = used.get(name, {}).get(key, 0)
        own = amount - quotas.drawn_by(name, key, amount)
        positions[place] = Position(
            own=own,
            borrowed=borrowed[place],
            over=amount - own - borrowed[place],
            lent=lent[place],
            is_certain=place not in uncertain,
        )
    return Lending(positions, tuple(loans))


class _Quotas:
    """The quotas of a policy by node and flavor-resource."""

    def __init__(self, policy: Policy) -> None:
        self.trees = Hierarchy(policy)
        self.queues = {q.name: _by_key(q.groups) for q in spec_of(policy).queues.values()}
        self.cohorts = {c.name: _by_key(c.groups) for c in spec_of(policy).cohorts.values()}

    def drawn_by(self, queue: str, key: FlavorResource, used: int) -> int:
        """Return the usage of *queue* beyond its nominal quota."""
        nominal = self.queues[queue].get(key, NO_QUOTA).nominal
        return 0 if isinstance(nominal, Unlimited) else max(0, used - nominal)


class _Offer:
    """The unused quota that a node may lend; a cohort's includes that of its children."""

    def __init__(
        self,
        name: str,
        is_cohort: bool,
        amount: Amount,
        parts: Sequence[_Offer] = (),
        limit: Amount = UNLIMITED,
    ) -> None:
        self.name = name
        self.is_cohort = is_cohort
        #: The amount of the node itself, without its parts.
        self.own = amount
        self.parts = parts
        self.limit = limit

    @property
    def amount(self) -> Amount:
        """The most that the node and its parts can lend together."""
        return min(_total([self.own, *(part.amount for part in self.parts)]), self.limit)

    def take(self, amount: int) -> Iterator[tuple[_Offer, int]]:
        """Take *amount*, which has to be available, and yield the sources."""
        self.limit = self.limit - amount
        first = min(self.own, amount)
        assert isinstance(first, int), "what is taken is finite"
        if first:
            self.own = self.own - first
            yield self, first
        if amount > first:
            offered = [part.amount for part in self.parts]
            for part, share in zip(self.parts, _shares(amount - first, offered), strict=True):
                if share:
                    yield from part.take(share)

    def sources(self) -> Iterator[_Offer]:
        """Yield the nodes that can still lend."""
        if self.amount == 0:
            return
        if self.own != 0:
            yield self
        for part in self.parts:
            yield from part.sources()


def _loans_in(root: str, quotas: _Quotas, used: Used) -> list[Loan]:
    drawn: defaultdict[FlavorResource, dict[str, int]] = defaultdict(dict)
    for name in quotas.trees.queues_below(root):
        for key, amount in used.get(name, {}).items():
            beyond = quotas.drawn_by(name, key, amount)
            if beyond > 0:
                drawn[key][name] = beyond
    loans: list[Loan] = []
    for key, of_key in drawn.items():
        _match(root, key, quotas, used, of_key, loans)
    return loans


def _match(
    cohort: str,
    key: FlavorResource,
    quotas: _Quotas,
    used: Used,
    drawn: dict[str, int],
    loans: list[Loan],
) -> tuple[list[str], _Offer]:
    """
    Cover the amounts *drawn* in *cohort* with loans, those of its child cohorts first.

    Subtract the covered amounts from *drawn*, append to *loans*, and return the queues of
    the cohort with amounts not covered, and what the cohort may lend to others.
    """
    quota = quotas.cohorts[cohort].get(key, NO_QUOTA)
    borrowers: list[str] = []
    parts: list[_Offer] = []
    for name in quotas.trees.queues(cohort):
        if name in drawn:
            borrowers.append(name)
            continue
        mine = quotas.queues[name].get(key, NO_QUOTA)
        unused = mine.nominal - used.get(name, {}).get(key, 0)
        parts.append(_Offer(name, False, min(unused, mine.lending_limit)))
    for name in quotas.trees.cohorts(cohort):
        drawing, part = _match(name, key, quotas, used, drawn, loans)
        borrowers += drawing
        parts.append(part)
    pool = _Offer(cohort, True, quota.nominal, parts)
    wanted = sum(drawn[name] for name in borrowers)
    covered = min(wanted, pool.amount)
    assert isinstance(covered, int), "what is drawn is finite"
    if covered:
        sources = list(pool.sources())
        taken = list(pool.take(covered))
        is_certain = len(sources) == 1 or (len(borrowers) == 1 and not any(pool.sources()))
        given = _shares(covered, [drawn[name] for name in borrowers])
        for borrower, source, amount in _pairs(zip(borrowers, given, strict=True), taken):
            drawn[borrower] -= amount
            loans.append(
                Loan(
                    flavor=key[0],
                    resource=key[1],
                    borrower=borrower,
                    lender=source.name,
                    is_from_cohort=source.is_cohort,
                    cohort=cohort,
                    amount=amount,
                    is_certain=is_certain,
                )
            )
    # The parent is offered only the rest after the cohort's own use, up to the lending limit.
    pool.limit = quota.lending_limit
    return [name for name in borrowers if drawn[name]], pool


def _pairs(
    borrowers: Iterator[tuple[str, int]], taken: list[tuple[_Offer, int]]
) -> Iterator[tuple[str, _Offer, int]]:
    """Pair two lists of amounts with the same sum, in order."""
    sources = iter(taken)
    left = 0
    for borrower, drawn in borrowers:
        wanted = drawn
        while wanted:
            if not left:
                source, left = next(sources)
            amount = min(wanted, left)
            wanted -= amount
            left -= amount
            yield borrower, source, amount


def _shares(total: int, weights: Sequence[Amount]) -> list[int]:
    """
    Split *total* in proportion to *weights*, whose sum is not below it.

    Whole units stay whole, and so do whole Gi and Mi of bytes; the remainder of rounding
    goes to the largest fractions, then in order. An unlimited weight takes everything from
    finite ones.
    """
    if any(isinstance(weight, Unlimited) for weight in weights):
        weights = [total if isinstance(weight, Unlimited) else 0 for weight in weights]
    finite = [weight for weight in weights if isinstance(weight, int)]
    unit = next(u for u in _UNITS if not any(amount % u for amount in (total, *finite)))
    parts, sum_of_weights = total // unit, sum(finite)
    shares = [parts * weight // sum_of_weights for weight in finite]
    fractions = [parts * weight % sum_of_weights for weight in finite]
    order = sorted(range(len(finite)), key=lambda place: -fractions[place])
    for place in order[: parts - sum(shares)]:
        shares[place] += 1
    return [share * unit for share in shares]


def _total(amounts: Sequence[Amount]) -> Amount:
    total: Amount = 0
    for amount in amounts:
        total = total + amount
    return total


def _by_key(groups: Sequence[ResourceGroup]) -> dict[FlavorResource, Quota]:
    return {
        (entry.flavor, resource): quota
        for group in groups
        for entry in group.flavors
        for resource, quota in entry.quotas.items()
    }
