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
    borrowers = serializers.IntegerField(help_text="Queues that use quota of others.")
    running = serializers.IntegerField()
    pending = serializers.IntegerField()
    cannot_run = serializers.IntegerField(
        help_text="Of the pending ones: how many can never run under the active config."
    )


class Pool(Schema):
    """One flavor-resource that the cohort shares; null stands for unlimited."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    own = serializers.FloatField(allow_null=True, help_text="What the cohort owns itself.")
    deposited = serializers.FloatField(
        allow_null=True, help_text="What its queues and cohorts put in, up to their lending limits."
    )
    pool = serializers.FloatField(allow_null=True, help_text="Both together.")
    used = serializers.FloatField(
        help_text="What is used of it; what a lending limit keeps at home is not part of it."
    )
    borrowed = serializers.FloatField(help_text="What is used of cohorts above.")
    over = serializers.FloatField(help_text="What is used beyond the pool and not borrowed.")
    lent = serializers.FloatField(help_text="What cohorts above use of it.")
    available = serializers.FloatField(
        allow_null=True, help_text="What may still be used, of cohorts above too."
    )
    limit = serializers.FloatField(allow_null=True, help_text="What may be used at most.")
    borrowing_limit = serializers.FloatField(allow_null=True)
    lending_limit = serializers.FloatField(allow_null=True)
    demand = serializers.FloatField(
        help_text="What pending workloads of all its queues that could run ask for."
    )
    cannot_run_demand = serializers.FloatField(
        help_text="The same of pending workloads that can never run under the active config."
    )


class Lender(Schema):
    """A queue, or a cohort with quota of its own."""

    type = serializers.ChoiceField(_NODES)
    name = serializers.CharField()


class Loan(Schema):
    """What one queue uses of the quota of another."""

    borrower = serializers.CharField(help_text="Name of a queue.")
    lender = Lender()
    cohort = serializers.CharField(help_text="The nearest cohort that both are in.")
    flavor = serializers.CharField()
    resource = serializers.CharField()
    amount = serializers.FloatField()
    certain = serializers.BooleanField(
        help_text="Whether the amount could be attributed in no other way. Quota is pooled: where "
        "several could lend, each is said to lend in proportion to what it leaves unused."
    )


class TimedLoan(Loan):
    """A loan, and since when its borrower uses more than it owns."""

    since = serializers.DateTimeField(
        allow_null=True,
        help_text="When the borrower rose above its nominal quota, as the engine saw it; it has "
        "been above since. Who lends may have changed in that time.",
    )
    since_version = serializers.IntegerField(
        allow_null=True, help_text="The config version that the engine decided under then."
    )


class Starved(Schema):
    """A queue whose work waits for quota of its own while others use it."""

    queue = serializers.CharField()
    flavor = serializers.CharField()
    resource = serializers.CharField()
    unused = serializers.FloatField(help_text="How much of its nominal quota it does not use.")
    wanted = serializers.FloatField(help_text="What its pending workloads that lack it ask for.")
    loans = Loan(many=True)


class Share(Schema):
    """What a queue or cohort borrows, as a share of what its cohort could lend, by its weight."""

    value = serializers.IntegerField(
        allow_null=True,
        help_text="Thousandths of the resource of which it borrows the largest share, divided by "
        "the weight, rounded up; null when it is unbounded.",
    )
    unbounded = serializers.BooleanField(help_text="It borrows with a weight of 0.")
    resource = serializers.CharField(
        allow_null=True, help_text="That resource; null when nothing is borrowed."
    )
    weight = serializers.FloatField()


class Cohort(Schema):
    """One cohort: its place in its tree, its counts and its pools."""

    name = serializers.CharField()
    path = serializers.ListField(
        child=serializers.CharField(), help_text="The cohorts around it, the root first."
    )
    cohorts = serializers.ListField(child=serializers.CharField(), help_text="Directly in it.")
    queues = serializers.ListField(child=serializers.CharField(), help_text="Directly in it.")
    range = Range(
        allow_null=True,
        help_text="Where the active text describes it; null when queues only name it.",
    )
    counts = CohortCounts()
    contention = serializers.FloatField(
        help_text="Of its tightest pool: what is used and wanted, divided by what is within reach; "
        "2 where nothing is, and 0 without a limit."
    )
    pools = Pool(many=True)
    share = Share(allow_null=True, help_text="null without fair sharing.")
    starved = Starved(many=True)


CohortPage = page_of(Cohort, "CohortPage")


class MemberUsage(QueueUsage):
    """One flavor-resource of a queue, or the pool of a cohort, with its limits."""

    borrowing_limit = serializers.FloatField(
        allow_null=True, help_text="What may be borrowed at most; null: no limit of its own."
    )
    lending_limit = serializers.FloatField(
        allow_null=True, help_text="What others may use of it; null: all that is unused."
    )


class Preemption(Schema):
    """When a queue may stop running workloads."""

    within_queue = serializers.ChoiceField(_RULES)
    reclaim_within_cohort = serializers.ChoiceField(
        _RULES, help_text="Whom it may stop to take its own quota back."
    )
    borrow_within_cohort = serializers.ChoiceField(
        _RULES, help_text="Whom it may stop in order to borrow."
    )
    max_priority_threshold = serializers.IntegerField(
        allow_null=True, help_text="Highest priority that is stopped in order to borrow."
    )


class Member(Schema):
    """A queue or cohort below the cohort."""

    type = serializers.ChoiceField(_NODES)
    name = serializers.CharField()
    cohort = serializers.CharField(help_text="The cohort that holds it.")
    depth = serializers.IntegerField(help_text="1 for what the cohort holds itself.")
    counts = QueueCounts(help_text="Of a queue, or of all queues below a cohort.")
    preemption = Preemption(allow_null=True, help_text="null for a cohort.")
    share = Share(allow_null=True, help_text="null without fair sharing.")
    usage = MemberUsage(many=True)


class WaitingQueue(Schema):
    """How many workloads wait in one queue."""

    name = serializers.CharField()
    count = serializers.IntegerField()


class Waiting(Schema):
    """How many workloads wait for one reason."""

    reason = ReasonCode()
    count = serializers.IntegerField()
    queues = WaitingQueue(many=True)


class WholeCohort(Cohort):
    """One cohort with everything below it."""

    members = Member(many=True, help_text="In the order of the text, a cohort before what it has.")
    loans = TimedLoan(
        many=True, help_text="Of everybody below it; the other side may be elsewhere."
    )
    waiting = Waiting(many=True)
    fair_sharing = serializers.ListField(
        child=serializers.ChoiceField([strategy.value for strategy in FairStrategy]),
        help_text="Strategies of preemption for fair shares, in order; empty without them.",
    )
