"""Receipts of preemptions: equal from both sides, except for hidden names."""

from __future__ import annotations

import pytest

from console.errors import NotFound
from console.orgs.permissions import Actor
from console.workloads.advice import find_advice
from console.workloads.disclosure import advice_for_reader, disclose_preemptors, for_reader
from console.workloads.explanations import explain_workload
from console.workloads.queries import get_workload
from console.workloads.receipts import Receipt, get_receipt, preemptions_of
from console.workloads.services.end_workloads import release_workloads
from tests.preemption_pair import Settle, preempt_for, submit

HIDDEN = "another workload of queue research"


def names(receipt: Receipt) -> tuple[str | None, str, str | None, str]:
    """Return id and name of both sides."""
    short = receipt.preemption
    assert short.beneficiary is not None
    return (
        short.victim.uid,
        short.victim.name,
        short.beneficiary.uid,
        short.beneficiary.name,
    )


def test_a_receipt_tells_what_was_stopped_for_whom_and_by_what_right(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> None:
    old, new, told = preempt_for(owner, submitter, operator, settle)
    receipt = get_receipt(owner, old, told.pk)
    assert names(receipt) == (old.uid, "batch", new.uid, "urgent")
    assert receipt.explained.explanation.headline == (
        "Preempted: urgent with priority 90 needs its quota; research may preempt its own "
        "workloads of lower priority."
    )
    assert receipt.policy is not None
    assert [each.origin.line for each in receipt.policy.sentences if each.origin] == [6]
    assert receipt.search is not None
    assert "batch (priority 10) is preempted" in " ".join(
        each.text for each in receipt.search.sentences
    )
    assert receipt.frees == {"spot/gpu": 6000}
    assert (receipt.released_at, receipt.is_stopping) == (None, True)
    assert (receipt.times, receipt.times_for_it) == (1, 1)
    assert names(get_receipt(owner, new, told.pk)) == names(receipt)


def test_once_it_has_stopped_the_receipt_says_when(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> None:
    old, _, told = preempt_for(owner, submitter, operator, settle)
    release_workloads(owner, [old.uid])
    settle(owner.org)
    receipt = get_receipt(owner, old, told.pk)
    assert receipt.released_by == "REQUEST_RELEASED"
    assert receipt.released_at is not None
    assert receipt.released_at >= receipt.preemption.at
    assert not receipt.is_stopping


def test_each_side_sees_its_own_name_and_the_queue_of_the_other(
    owner: Actor, submitter: Actor, operator: Actor, viewer: Actor, settle: Settle
) -> None:
    old, new, told = preempt_for(owner, submitter, operator, settle)
    assert names(get_receipt(submitter, old, told.pk)) == (old.uid, "batch", None, HIDDEN)
    # Submitters see the name of their own workload from either side.
    assert names(get_receipt(submitter, new, told.pk)) == (old.uid, "batch", new.uid, "urgent")
    assert names(get_receipt(viewer, new, told.pk)) == (None, HIDDEN, new.uid, "urgent")
    text = repr(get_receipt(viewer, new, told.pk).search)
    assert "batch" not in text
    assert HIDDEN in text


def test_an_explanation_does_not_tell_the_names_that_a_receipt_hides(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> None:
    old, new, _ = preempt_for(owner, submitter, operator, settle)
    told = for_reader(submitter, explain_workload(owner.org, old))
    assert told.explanation.headline == (
        f"Preempted: {HIDDEN} with priority 90 needs its quota; research may preempt its own "
        "workloads of lower priority."
    )
    assert told.hidden == {new.uid}
    linked = {uid for s in told.explanation.stages for x in s.sentences for uid in x.workloads}
    assert linked == set()
    row = get_workload(owner.org, old.uid)
    disclose_preemptors(submitter, [row])
    assert (row.preemptor, row.preemptor_name) == (None, HIDDEN)  # type: ignore[attr-defined]
    row = get_workload(owner.org, old.uid)
    disclose_preemptors(operator, [row])
    assert (row.preemptor, row.preemptor_name) == (new.uid, "urgent")  # type: ignore[attr-defined]


def test_advice_does_not_reveal_hidden_names(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> None:
    preempt_for(owner, operator, operator, settle)
    late = submit(submitter, settle, "late", 3, priority=20)
    found = find_advice(owner, late)
    assert "batch has stopped" in repr(found.changes)
    told = advice_for_reader(submitter, found)
    assert "batch" not in repr(told)
    assert [change.kind for change, _ in told.changes] == [c.kind for c, _ in found.changes]


def test_preemptions_are_listed_from_both_sides_page_by_page(
    owner: Actor, submitter: Actor, operator: Actor, settle: Settle
) -> None:
    old, new, told = preempt_for(owner, submitter, operator, settle)
    (short,) = preemptions_of(owner, old, 10).results
    assert (short.number, short.is_victim) == (told.pk, True)
    (short,) = preemptions_of(owner, new, 10).results
    assert (short.number, short.is_victim) == (told.pk, False)
    other = submit(submitter, settle, "other", 1)
    assert preemptions_of(owner, other, 10).results == []
    with pytest.raises(NotFound):
        get_receipt(owner, other, told.pk)
    with pytest.raises(NotFound):
        get_receipt(owner, old, told.pk + 1000)
