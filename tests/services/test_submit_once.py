"""Idempotency keys of submissions: one effect per key, and expiry of keys."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.errors import Conflict
from console.workloads.models import IdempotentAnswer, Workload
from console.workloads.retention import ANSWERS_KEPT
from console.workloads.services.forget_answers import forget_answers
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import Submission
from console.workloads.tasks import tidy


def test_keys_are_forgotten_after_a_week(submitter):
    work = [Submission(name="w")]
    first = submit_once(submitter, "old", work)
    submit_once(submitter, "new", work)
    old = IdempotentAnswer.objects.filter(key__endswith=" old")
    old.update(created_at=timezone.now() - ANSWERS_KEPT + timedelta(minutes=1))
    tidy()
    assert submit_once(submitter, "old", work) == first
    old.update(created_at=timezone.now() - ANSWERS_KEPT - timedelta(minutes=1))
    assert forget_answers() == 1
    assert submit_once(submitter, "old", work) != first
    assert Workload.objects.count() == 3


#: Digest of `Submission(name="w")` as stored by earlier versions.
BEFORE = "b38a336af5388730f121665f80259c6db8dae15796958171798e99b999028e49"


def test_optional_facts_belong_to_the_request(submitter):
    first = submit_once(submitter, "key", [Submission(name="w", preemptible=True)])
    assert submit_once(submitter, "key", [Submission(name="w", preemptible=True)]) == first
    for other in (
        Submission(name="w"),
        Submission(name="w", preemptible=False),
        Submission(name="w", preemptible=True, placement={}),
    ):
        with pytest.raises(Conflict, match="another request"):
            submit_once(submitter, "key", [other])


def test_a_request_of_before_the_facts_is_still_the_same(submitter):
    submit_once(submitter, "key", [Submission(name="w")])
    assert IdempotentAnswer.objects.get().digest == BEFORE
