"""Random trees of queues: the laws of fair shares, and agreement with a simple model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.fairshare.fair_share import FairShares, FairShareTree
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, PerResource
from console.engine.disciplines.fairshare.spec import FairQueue, FairshareSpec
from console.engine.disciplines.fairshare.standing import requestable
from console.engine.model.amounts import SCALE, UNLIMITED, Amount
from tests.engine.fairshare.reference import Claim, fair_shares

_NAMES = tuple("abcdefgh")
#: Quarters of a device, which floats represent exactly.
_quarters = st.integers(0, 48).map(lambda number: number * 0.25)


@st.composite
def _claims(draw: st.DrawFn) -> dict[str, Claim]:
    """Draw a forest, in which each queue may be below an earlier one."""
    claims: dict[str, Claim] = {}
    for name in _NAMES[: draw(st.integers(1, len(_NAMES)))]:
        claims[name] = Claim(
            parent=draw(st.sampled_from((None, None, *claims))),
            priority=draw(st.sampled_from((100, 100, 50, 200))),
            created=draw(st.integers(0, 3)),
            quota=draw(st.one_of(st.just(-1), st.just(0), _quarters)),
            limit=draw(st.one_of(st.just(-1), st.just(-1), _quarters)),
            weight=draw(st.sampled_from((0, 1, 1, 2, 3))),
            request=draw(_quarters),
            usage=draw(st.sampled_from((0.0, 0.0, 0.125, 0.5))),
        )
    return claims


_totals = _quarters.map(lambda number: number * 2)
_k_values = st.sampled_from((0.0, 1.0, 2.0))


def _gpu(amount: int) -> Amounts:
    return NOTHING._replace(gpu=amount)


def _bound(value: float) -> Amount:
    return UNLIMITED if value == -1 else round(value * SCALE)


def _queues(claims: Mapping[str, Claim]) -> dict[str, FairQueue]:
    return {
        name: FairQueue(
            name=name,
            parent=each.parent,
            priority=each.priority,
            created=each.created,
            quota=PerResource(0, 0, _bound(each.quota)),
            limit=PerResource(0, 0, _bound(each.limit)),
            weight=PerResource(0.0, 0.0, float(each.weight)),
        )
        for name, each in claims.items()
    }


def _compute(total: float, claims: Mapping[str, Claim], k_value: float) -> FairShares:
    return FairShareTree(FairshareSpec(queues=_queues(claims)).tree).compute(
        _gpu(round(total * SCALE)),
        {name: _gpu(round(each.request * SCALE)) for name, each in claims.items()},
        k_value=k_value,
        usage={name: PerResource(0.0, 0.0, each.usage) for name, each in claims.items()},
    )


def _shares(total: float, claims: Mapping[str, Claim], k_value: float) -> dict[str, float]:
    found = _compute(total, claims, k_value).shares
    return {name: found[name].gpu / SCALE for name in claims}


@given(_totals, _claims(), _k_values)
def test_fair_shares_are_those_of_the_model(
    total: float, claims: dict[str, Claim], k_value: float
) -> None:
    assert _shares(total, claims, k_value) == fair_shares(total, claims, k_value)


@given(_totals, _claims(), _k_values)
def test_siblings_exceed_what_is_divided_only_by_their_guarantees(
    total: float, claims: dict[str, Claim], k_value: float
) -> None:
    found = _compute(total, claims, k_value)
    for parent in (None, *claims):
        siblings = [name for name, each in claims.items() if each.parent == parent]
        divided = round(total * SCALE) if parent is None else found.shares[parent].gpu
        guaranteed = sum(found.composition(name).guaranteed.gpu for name in siblings)
        assert sum(found.shares[name].gpu for name in siblings) <= max(divided, guaranteed)


@given(_totals, _claims(), _k_values)
def test_every_queue_gets_what_its_quota_guarantees_and_less_than_a_unit_too_much(
    total: float, claims: dict[str, Claim], k_value: float
) -> None:
    found = _compute(total, claims, k_value)
    queues = _queues(claims)
    for name, claim in claims.items():
        queue, share = queues[name], found.shares[name].gpu
        most = requestable(queue.limit.gpu, round(claim.request * SCALE))
        parent = claim.parent
        divided = round(total * SCALE) if parent is None else found.shares[parent].gpu
        quota = divided if queue.quota.gpu is UNLIMITED else queue.quota.gpu
        assert min(quota, most) <= share < most + SCALE
        parts = found.composition(name)
        assert parts.guaranteed.gpu + parts.surplus.gpu + parts.rounding.gpu == share
        assert parts.rounding.gpu in range(SCALE + 1)


@given(_totals, _claims(), _k_values, st.data())
def test_the_order_of_the_text_has_no_influence(
    total: float, claims: dict[str, Claim], k_value: float, data: st.DataObject
) -> None:
    names = data.draw(st.permutations(list(claims)))
    shuffled = {name: claims[name] for name in names}
    assert _shares(total, shuffled, k_value) == _shares(total, claims, k_value)


@given(_totals, _claims(), _quarters, st.data())
def test_a_larger_quota_costs_at_most_the_unit_that_rounding_gave(
    total: float, claims: dict[str, Claim], more: float, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(claims)))
    if claims[name].quota == -1:
        return
    raised = claims | {name: replace(claims[name], quota=claims[name].quota + more)}
    roots = {each: claim for each, claim in raised.items() if claim.parent is None}
    if name not in roots:
        return
    before = _shares(total, claims, 0.0)[name]
    after = _shares(total, raised, 0.0)[name]
    assert after > before - 1


@given(_totals, _claims())
def test_usage_without_influence_changes_nothing(total: float, claims: dict[str, Claim]) -> None:
    without = {name: replace(each, usage=0.0) for name, each in claims.items()}
    assert _shares(total, claims, 0.0) == _shares(total, without, 0.0)
