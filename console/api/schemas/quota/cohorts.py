"""Schemas of cohorts."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Range, ReasonCode, Schema, page_of
from console.api.schemas.state import QueueCounts, QueueUsage
from console.engine.disciplines.quota.spec import FairStrategy, PreemptionRule

_RULES = [rule.value for rule in PreemptionRule]
_NODES = ["queue", "cohort"]


class CohortCounts(Schema):
    """Counts over all queues below the cohort."""

    queues = serializers.IntegerField()
    borrowers = serializers.IntegerField(help_text="Queues that borrow quota.")
    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    cannot_run = serializers.IntegerField(
        help_text="Pending workloads that cannot run under the active config."
    )


class Pool(Schema):
    """One flavor-resource that the cohort shares. Null means unlimited."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    own = serializers.FloatField(allow_null=True, help_text="Nominal quota of the cohort itself.")
    deposited = serializers.FloatField(
        allow_null=True, help_text="Quota of its queues and cohorts, up to their lending limits."
    )
    pool = serializers.FloatField(allow_null=True, help_text="`own` plus `deposited`.")
    used = serializers.FloatField(
        help_text="Used quota of the pool, without quota that a lending limit reserves for its "
        "owner."
    )
    borrowed = serializers.FloatField(help_text="Used quota of parent cohorts.")
    over = serializers.FloatField(help_text="Use beyond the pool that is not borrowed.")
    lent = serializers.FloatField(help_text="Quota used by parent cohorts.")
    available = serializers.FloatField(
        allow_null=True, help_text="Available quota, including that of parent cohorts."
    )
    limit = serializers.FloatField(allow_null=True, help_text="Maximum use.")
    borrowing_limit = serializers.FloatField(allow_null=True)
    lending_limit = serializers.FloatField(allow_null=True)
    demand = serializers.FloatField(
        help_text="Requests of pending workloads of all its queues that can run."
    )
    cannot_run_demand = serializers.FloatField(
        help_text="Requests of pending workloads that cannot run under the active config."
    )


class Lender(Schema):
    """A queue, or a cohort with quota of its own."""

    type = serializers.ChoiceField(_NODES)
    name = serializers.CharField()


class Loan(Schema):
    """Quota of one queue that another queue uses."""

    borrower = serializers.CharField(help_text="Name of a queue.")
    lender = Lender()
    cohort = serializers.CharField(help_text="The nearest cohort that contains both.")
    flavor = serializers.CharField()
    resource = serializers.CharField()
    amount = serializers.FloatField()
    certain = serializers.BooleanField(
        help_text="Whether only one attribution of the amount is possible. Quota is pooled: "
        "loans are attributed to lenders in proportion to their unused quota."
    )


class TimedLoan(Loan):
    """A loan, and since when its borrower uses more than its nominal quota."""

    since = serializers.DateTimeField(
        allow_null=True,
        help_text="Since when the borrower has been using more than its nominal quota. The lenders "
        "may have changed in this time.",
    )
    since_version = serializers.IntegerField(
        allow_null=True, help_text="The active config version at that time."
    )


class Starved(Schema):
    """A queue whose pending workloads wait for its own quota while other queues use it."""

    queue = serializers.CharField()
    flavor = serializers.CharField()
    resource = serializers.CharField()
    unused = serializers.FloatField(help_text="Nominal quota that the queue does not use.")
    wanted = serializers.FloatField(
        help_text="Requests of its pending workloads that wait for this quota."
    )
    loans = Loan(many=True)


class Share(Schema):
    """The weighted share: borrowed quota relative to the quota that the cohort can lend."""

    value = serializers.IntegerField(
        allow_null=True,
        help_text="Borrowed thousandths of the dominant resource, divided by the weight and "
        "rounded up; null if unbounded.",
    )
    unbounded = serializers.BooleanField(
        help_text="Whether the share is unbounded: quota is borrowed with weight 0."
    )
    resource = serializers.CharField(
        allow_null=True,
        help_text="The dominant resource, of which the largest share is borrowed; null if no "
        "quota is borrowed.",
    )
    weight = serializers.FloatField()


class Cohort(Schema):
    """One cohort: its place in its tree, its counts and its pools."""

    name = serializers.CharField()
    path = serializers.ListField(
        child=serializers.CharField(), help_text="Parent cohorts, the root first."
    )
    cohorts = serializers.ListField(child=serializers.CharField(), help_text="Child cohorts.")
    queues = serializers.ListField(
        child=serializers.CharField(), help_text="Queues whose parent is this cohort."
    )
    range = Range(
        allow_null=True,
        help_text="Place in the active text; null if the cohort is only named by queues.",
    )
    counts = CohortCounts()
    contention = serializers.FloatField(
        help_text="Highest ratio of its pools: used plus demand, divided by the limit. 2 if the "
        "limit is 0, and 0 if unlimited."
    )
    pools = Pool(many=True)
    share = Share(allow_null=True, help_text="Null without fair sharing.")
    starved = Starved(many=True)


CohortPage = page_of(Cohort, "CohortPage")


class MemberUsage(QueueUsage):
    """One flavor-resource of a queue, or the pool of a cohort, with its limits."""

    borrowing_limit = serializers.FloatField(
        allow_null=True, help_text="Maximum of borrowed quota; null if not limited."
    )
    lending_limit = serializers.FloatField(
        allow_null=True, help_text="Maximum of lent quota; null if not limited."
    )


class Preemption(Schema):
    """Preemption policy of a queue."""

    within_queue = serializers.ChoiceField(_RULES)
    reclaim_within_cohort = serializers.ChoiceField(
        _RULES, help_text="Which workloads the queue can preempt to reclaim its quota."
    )
    borrow_within_cohort = serializers.ChoiceField(
        _RULES, help_text="Which workloads the queue can preempt to borrow."
    )
    max_priority_threshold = serializers.IntegerField(
        allow_null=True, help_text="Highest priority of workloads that are preempted to borrow."
    )


class Member(Schema):
    """A queue or cohort below the cohort."""

    type = serializers.ChoiceField(_NODES)
    name = serializers.CharField()
    cohort = serializers.CharField(help_text="The parent cohort.")
    depth = serializers.IntegerField(help_text="1 for direct members of the cohort.")
    counts = QueueCounts(help_text="Counts of the queue, or of all queues below the cohort.")
    preemption = Preemption(allow_null=True, help_text="Null for a cohort.")
    share = Share(allow_null=True, help_text="Null without fair sharing.")
    usage = MemberUsage(many=True)


class WaitingQueue(Schema):
    """Pending workloads of one queue."""

    name = serializers.CharField()
    count = serializers.IntegerField()


class Waiting(Schema):
    """Pending workloads with one reason."""

    reason = ReasonCode()
    count = serializers.IntegerField()
    queues = WaitingQueue(many=True)


class WholeCohort(Cohort):
    """One cohort with all queues and cohorts below it."""

    members = Member(
        many=True, help_text="Members in the order of the text; each cohort precedes its members."
    )
    loans = TimedLoan(
        many=True, help_text="Loans of all members; the other queue can be outside the cohort."
    )
    waiting = Waiting(many=True)
    fair_sharing = serializers.ListField(
        child=serializers.ChoiceField([strategy.value for strategy in FairStrategy]),
        help_text="Preemption strategies of fair sharing, in order; empty without fair sharing.",
    )
