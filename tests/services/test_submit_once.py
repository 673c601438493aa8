"""Requests with a key: answered once, and forgotten in time."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

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
