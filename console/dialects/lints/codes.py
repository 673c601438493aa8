"""The codes of lints: what is legal in any config language and probably not meant."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

RECORDED_WITHOUT_RULE = Code(
    "LNT001",
    Severity.WARNING,
    "Recorded workloads that nothing takes",
    "Workloads like some of the last 30 days would be rejected, or wait for ever, because no rule "
    "or local queue leads them to a queue. Add a last rule without a selector, widen a rule, or "
    "accept it.",
    is_live=True,
)
RULE_SHADOWED = Code(
    "LNT002",
    Severity.WARNING,
    "Rule behind others that take all of it",
    "Rules are tried in order, and everything that this rule would take is taken before it. Move "
    "it up, narrow those before it, or remove it.",
)
CONTRADICTION = Code(
    "LNT003",
    Severity.WARNING,
    "Selector that nothing can meet",
    "All expressions of a selector must hold at once, and some of these exclude each other. Put "
    "alternatives into one list of values, or into two rules.",
)
QUEUE_UNREACHED = Code(
    "LNT004",
    Severity.WARNING,
    "Queue that no workload reaches",
    "Workloads reach a queue by a rule, and no rule that names this one ever takes any. Repair "
    "those rules, add one, or remove the queue.",
)
RULE_WITHOUT_FLAVOR = Code(
    "LNT005",
    Severity.WARNING,
    "Rule whose workloads no flavor accepts",
    "What the rule asks of labels and what the flavors of its queue ask of them exclude each "
    "other, so what it takes is rejected. Change the rule, its queue, or the selectors of the "
    "flavors.",
)
FLAVOR_NEVER_TRIED = Code(
    "LNT006",
    Severity.WARNING,
    "Flavor that is never tried",
    "Flavors are tried in order, and one before this has no limit and accepts all that this one "
    "would. Put this flavor first, or give the other a quota.",
)
UNLIMITED_QUOTA = Code(
    "LNT007",
    Severity.INFO,
    "Unlimited because nothing is written",
    "A quota that is left out is not 0: it has no limit. Write a number if that is not meant.",
)
BLOCKED_BY_ZERO = Code(
    "LNT008",
    Severity.INFO,
    "Blocked by a quota of 0",
    "A quota of 0 admits nothing unless some can be borrowed, and here none can be, in any flavor "
    "of the queue. What asks for it waits for ever.",
)
LENDER_STARVED = Code(
    "LNT009",
    Severity.INFO,
    "Lenders that cannot take back",
    "Quota that is lent comes back only when its borrower ends, unless the lender may reclaim it "
    "by preemption or a lending limit keeps it at home.",
)
QUOTA_BELOW_USAGE = Code(
    "LNT010",
    Severity.WARNING,
    "Quota below what runs now",
    "Running workloads are not stopped by a smaller quota: they go on, and nothing more starts "
    "until enough of them have ended. Raise the quota, or accept the wait.",
    is_live=True,
)
REMOVED_WITH_WORK = Code(
    "LNT011",
    Severity.WARNING,
    "Removed queue that still holds work",
    "What runs in a removed queue goes on under its name until it ends; what waits is routed "
    "again, and rejected where no rule takes it. Keep the queue until it is empty, or accept it.",
    is_live=True,
)
LOOKS_RENAMED = Code(
    "LNT012",
    Severity.WARNING,
    "Removed queue that looks renamed",
    "A queue is its name: under a new one it is another queue, and begins empty. Usage and figures "
    "stay with the old name; a hold goes over to the new one. Keep the old name if only the label "
    "was to change.",
    is_live=True,
)
NEVER_FITS = Code(
    "LNT013",
    Severity.WARNING,
    "Recorded request that can never fit",
    "Workloads like some of the last 30 days would wait here for ever: they ask for more than the "
    "queue can have in any flavor that accepts them, even when nothing else runs. Raise a quota "
    "or a borrowing limit, or lead such workloads elsewhere.",
    is_live=True,
)
KEY_NEVER_SEEN = Code(
    "LNT014",
    Severity.WARNING,
    "Label that no workload had",
    "No workload of the last 30 days had a label of this name. Correct its spelling, or ignore "
    "this if it is new.",
    is_live=True,
)
VALUE_NEVER_SEEN = Code(
    "LNT015",
    Severity.INFO,
    "Value that no label had",
    "The label was there in the last 30 days, and never with this value. Correct its spelling, or "
    "ignore this if it is new.",
    is_live=True,
)
RECORDED_WITHOUT_FLAVOR = Code(
    "LNT016",
    Severity.WARNING,
    "Recorded workloads that no flavor accepts",
    "Workloads like some of the last 30 days reach this queue and never start there: their labels, "
    "or what they ask of nodes, keep them off every flavor of what they need. Add a flavor, widen "
    "a selector, or lead them elsewhere.",
    is_live=True,
)

LINT_CODES = declared(globals())
