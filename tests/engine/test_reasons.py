"""Sentences for every reason and every event."""

from __future__ import annotations

import pytest

from console.engine.disciplines.placement.reasons import (
    EXCEEDS_EVERY_NODE,
    INVALID_PLACEMENT,
    MOVED,
    NO_CLUSTER_MATCHES,
    NO_CLUSTER_READY,
    NO_NODE_FITS,
    NOT_PLACEABLE,
    PLACED,
    PLUGIN_FAILED,
    REMOVED_BY_PLUGIN,
    REPLICAS_DO_NOT_FIT,
    REPLICAS_LOST,
)
from console.engine.disciplines.quota.reasons import (
    EXCEEDS_MAX_QUOTA,
    PREEMPTED_FOR_FAIR_SHARE,
    QUOTA_RESERVED,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
    WAITING_FOR_QUOTA,
)
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    DEACTIVATED,
    DEACTIVATED_WHILE_RUNNING,
    DRAINED,
    NO_FLAVOR_MATCHED,
    NOT_EVALUATED,
    PASSTHROUGH,
    PREEMPTED_IN_QUEUE,
    QUEUE_HELD,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
    RUN_TIME_EXCEEDED,
    RUN_TIME_USED_UP,
    WAITING_FOR_PREEMPTED,
    WITHDRAWN_WHILE_RUNNING,
)
from console.engine.model.reasons import ReasonClass, registered_reasons
from console.engine.routing.reasons import (
    LOCAL_QUEUE_MISSING,
    NAMESPACE_NOT_ALLOWED,
    NO_RULE_MATCHED,
    NO_RULES,
    PRIORITY_CLASS_MISSING,
)
from console.engine.wording.reasons import (
    event_sentence,
    reason_class,
    reason_message,
    reason_title,
)

TITLES = {
    NO_RULES: ("Admitted without a queue", ReasonClass.RUNNING),
    PASSTHROUGH: ("Admitted without quota", ReasonClass.RUNNING),
    QUOTA_RESERVED: ("Quota reserved", ReasonClass.RUNNING),
    NO_RULE_MATCHED: ("Accepted by no rule", ReasonClass.REJECTED),
    NO_FLAVOR_MATCHED: ("No flavor matched", ReasonClass.REJECTED),
    LOCAL_QUEUE_MISSING: ("Local queue not found", ReasonClass.CANNOT_RUN),
    PRIORITY_CLASS_MISSING: ("Priority class not found", ReasonClass.CANNOT_RUN),
    NAMESPACE_NOT_ALLOWED: ("Namespace not allowed", ReasonClass.CANNOT_RUN),
    QUEUE_MISCONFIGURED: ("Queue misconfigured", ReasonClass.CANNOT_RUN),
    QUEUE_STOPPED: ("Queue stopped", ReasonClass.HELD),
    QUEUE_HELD: ("Queue on hold", ReasonClass.HELD),
    DEACTIVATED: ("Deactivated", ReasonClass.HELD),
    RUN_TIME_USED_UP: ("Maximum run time used up", ReasonClass.HELD),
    DEACTIVATED_WHILE_RUNNING: ("Deactivated while running", ReasonClass.PREEMPTED),
    RUN_TIME_EXCEEDED: ("Maximum run time exceeded", ReasonClass.PREEMPTED),
    EXCEEDS_MAX_QUOTA: ("Can never run under this config", ReasonClass.CANNOT_RUN),
    WAITING_FOR_PREEMPTED: ("Starting soon", ReasonClass.SOON),
    WAITING_FOR_QUOTA: ("Waiting for quota", ReasonClass.WAITING),
    BEHIND_OTHERS: ("Behind other workloads", ReasonClass.WAITING),
    NOT_EVALUATED: ("Not evaluated yet", ReasonClass.UNSEEN),
    PREEMPTED_IN_QUEUE: ("Preempted", ReasonClass.PREEMPTED),
    RECLAIMED_IN_COHORT: ("Quota reclaimed", ReasonClass.PREEMPTED),
    RECLAIMED_WHILE_BORROWING: ("Preempted by a borrower", ReasonClass.PREEMPTED),
    PREEMPTED_FOR_FAIR_SHARE: ("Preempted for fair sharing", ReasonClass.PREEMPTED),
    PLACED: ("Placed", ReasonClass.RUNNING),
    MOVED: ("Moved", ReasonClass.RUNNING),
    REPLICAS_LOST: ("Replicas lost", ReasonClass.RUNNING),
    NO_CLUSTER_READY: ("No cluster ready", ReasonClass.WAITING),
    NO_NODE_FITS: ("No room on a node", ReasonClass.WAITING),
    REPLICAS_DO_NOT_FIT: ("No room for all replicas", ReasonClass.WAITING),
    NO_CLUSTER_MATCHES: ("No cluster matches", ReasonClass.CANNOT_RUN),
    EXCEEDS_EVERY_NODE: ("Exceeds every node", ReasonClass.CANNOT_RUN),
    "exceeds_all_clusters": ("Exceeds all clusters", ReasonClass.CANNOT_RUN),
    PLUGIN_FAILED: ("Plugin failed", ReasonClass.WAITING),
    REMOVED_BY_PLUGIN: ("Removed by a plugin", ReasonClass.WAITING),
    NOT_PLACEABLE: ("Not placeable", ReasonClass.REJECTED),
    INVALID_PLACEMENT: ("Invalid placement", ReasonClass.REJECTED),
    DRAINED: ("Queue drained", ReasonClass.PREEMPTED),
    WITHDRAWN_WHILE_RUNNING: ("Withdrawn while running", ReasonClass.ENDED),
    "fairshare_started": ("Started", ReasonClass.RUNNING),
    "fairshare_grown": ("Further pods started", ReasonClass.RUNNING),
    "fairshare_pods_lost": ("Pods lost", ReasonClass.RUNNING),
    "over_limit": ("Over the limit", ReasonClass.WAITING),
    "non_preemptible_over_quota": ("Non-preemptible over quota", ReasonClass.WAITING),
    "exceeds_queue_limit": ("Exceeds a limit", ReasonClass.CANNOT_RUN),
    "exceeds_quota": ("Non-preemptible, exceeds a quota", ReasonClass.CANNOT_RUN),
    "exceeds_nodes": ("Exceeds the nodes", ReasonClass.CANNOT_RUN),
    "no_node_matches": ("No node matches", ReasonClass.CANNOT_RUN),
    "no_nodes": ("No nodes", ReasonClass.WAITING),
    "no_node_has_room": ("No room on a node", ReasonClass.WAITING),
    "gang_has_no_room": ("No room for all pods", ReasonClass.WAITING),
    "waits_for_stopping": ("Starting soon", ReasonClass.SOON),
    "queue_has_children": ("Queue has child queues", ReasonClass.CANNOT_RUN),
    "queue_missing": ("Queue not found", ReasonClass.CANNOT_RUN),
    "unsupported_request": ("Unsupported request", ReasonClass.REJECTED),
    "fairshare_reclaimed": ("Reclaimed", ReasonClass.PREEMPTED),
    "fairshare_preempted": ("Preempted", ReasonClass.PREEMPTED),
    "fairshare_consolidated": ("Moved to another node", ReasonClass.PREEMPTED),
    "stale_gang": ("Stale gang", ReasonClass.PREEMPTED),
    "hierarchy_started": ("Started", ReasonClass.RUNNING),
    "hierarchy_grown": ("Further pods started", ReasonClass.RUNNING),
    "hierarchy_pods_lost": ("Pods lost", ReasonClass.RUNNING),
    "over_applications": ("Too many applications in a queue", ReasonClass.WAITING),
    "user_over_applications": ("Too many applications of a user", ReasonClass.WAITING),
    "group_over_applications": ("Too many applications of a group", ReasonClass.WAITING),
    "user_quota": ("Over the limit of a user", ReasonClass.WAITING),
    "group_quota": ("Over the limit of a group", ReasonClass.WAITING),
    "queue_quota": ("Over the maximum of a queue", ReasonClass.WAITING),
    "exceeds_maximum": ("Exceeds the maximum of a queue", ReasonClass.CANNOT_RUN),
    "exceeds_user_limit": ("Exceeds the limit of a user", ReasonClass.CANNOT_RUN),
    "exceeds_group_limit": ("Exceeds the limit of a group", ReasonClass.CANNOT_RUN),
    "hierarchy_exceeds_nodes": ("Exceeds the nodes", ReasonClass.CANNOT_RUN),
    "hierarchy_no_node_matches": ("No node matches", ReasonClass.CANNOT_RUN),
    "hierarchy_no_nodes": ("No nodes", ReasonClass.WAITING),
    "hierarchy_no_node_has_room": ("No room on a node", ReasonClass.WAITING),
    "hierarchy_gang_has_no_room": ("No room for all pods", ReasonClass.WAITING),
    "hierarchy_waits_for_stopping": ("Starting soon", ReasonClass.SOON),
    "not_placed": ("No placement rule matched", ReasonClass.REJECTED),
    "placement_failed": ("Placement failed", ReasonClass.REJECTED),
    "queue_not_created": ("Queue not created", ReasonClass.REJECTED),
    "gang_too_large": ("Larger than its queue", ReasonClass.REJECTED),
    "hierarchy_unsupported_request": ("Unsupported request", ReasonClass.REJECTED),
    "hierarchy_preempted": ("Preempted for a guarantee", ReasonClass.PREEMPTED),
    "preempted_on_node": ("Preempted for a pod of its node", ReasonClass.PREEMPTED),
    "quota_lowered": ("Maximum of its queue lowered", ReasonClass.PREEMPTED),
    "gang_timeout": ("Not all pods started in time", ReasonClass.REJECTED),
}


def test_every_reason_has_a_title_and_a_class() -> None:
    assert {r: (reason_title(r), reason_class(r)) for r in registered_reasons()} == TITLES


@pytest.mark.parametrize(
    ("reason", "missing", "message"),
    [
        ("queue_stopped", None, "Queue stopped"),
        ("waiting_for_quota", None, "Waiting for quota"),
        ("waiting_for_quota", {}, "Waiting for quota"),
        (
            "waiting_for_quota",
            {"spot/nvidia.com/gpu": 8000, "spot/memory": 64 * 2**30 * 1000, "fixed/cpu": 500},
            (
                "Waiting for quota: 8 nvidia.com/gpu and 64Gi memory short on spot, "
                "0.5 CPU short on fixed"
            ),
        ),
        ("behind_others", {"spot/gpu": 8000}, "Behind other workloads"),
    ],
)
def test_only_waiting_for_quota_states_amounts(
    reason: str, missing: dict[str, int] | None, message: str
) -> None:
    assert reason_message(reason, missing) == message


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("REQUEST_SUBMITTED", {}, "sweep was submitted."),
        (
            "REQUEST_QUEUED",
            {"reason": "waiting_for_quota"},
            "sweep is queued: waiting for quota.",
        ),
        ("REQUEST_ADMITTED", {}, "sweep was admitted."),
        (
            "REQUEST_ADMITTED",
            {"flavors": {"gpu": "a100", "cpu": "node"}},
            "sweep was admitted on a100 and node.",
        ),
        (
            "REQUEST_REJECTED",
            {"reason": "no_rule_matched"},
            "sweep was rejected: accepted by no rule.",
        ),
        (
            "REQUEST_QUEUED",
            {"reason": "local_queue_missing"},
            "sweep is queued: local queue not found.",
        ),
        ("REQUEST_PREEMPTED", {"preemptor_name": "urgent"}, "sweep was preempted for urgent."),
        (
            "REQUEST_PREEMPTED",
            {"preemptor_name": "urgent", "reason": "preempted_in_queue"},
            "sweep was preempted for urgent.",
        ),
        (
            "REQUEST_PREEMPTED",
            {
                "preemptor_name": "urgent",
                "preemptor_queue": "research",
                "reason": "reclaimed_in_cohort",
            },
            "sweep was preempted: research reclaims quota that it lent, for urgent.",
        ),
        (
            "REQUEST_PREEMPTED",
            {"reason": "reclaimed_in_cohort", "preemptor_queue": None},
            (
                "sweep was preempted: another queue reclaims quota that it lent, for another "
                "workload."
            ),
        ),
        (
            "REQUEST_PREEMPTED",
            {"preemptor_name": "urgent", "reason": "reclaimed_while_borrowing"},
            "sweep was preempted: urgent has higher priority and borrows in its place.",
        ),
        (
            "REQUEST_PREEMPTED",
            {
                "preemptor_name": "urgent",
                "preemptor_queue": "research",
                "reason": "preempted_for_fair_share",
            },
            "sweep was preempted for urgent: research has the smaller share.",
        ),
        (
            "REQUEST_PREEMPTED",
            {"reason": "drained"},
            "sweep was preempted: its queue is being drained.",
        ),
        (
            "REQUEST_REQUEUED",
            {"reason": "behind_others"},
            "sweep is queued again: behind other workloads.",
        ),
        ("REQUEST_RELEASED", {}, "sweep stopped and released its quota."),
        ("PODS_FINISHED", {"pod_set": "main", "count": 2}, "2 pods of sweep finished."),
        (
            "PRIORITY_CHANGED",
            {"priority": 7, "former_priority": 5},
            "The priority of sweep was changed from 5 to 7.",
        ),
        ("PRIORITY_CHANGED", {"priority": -1}, "The priority of sweep was changed to -1."),
        (
            "PODS_RELEASED",
            {"pod_set": "main", "count": 1, "cluster": "east", "node": "n1"},
            "1 pod of sweep on node n1 of east stopped and was released.",
        ),
        (
            "PODS_RESIZED",
            {"granted": [], "taken": [], "reason": "replicas_lost"},
            "sweep runs without some of its pods, which do not fit elsewhere now.",
        ),
        (
            "PODS_RESIZED",
            {"granted": [], "taken": [], "reason": "placed"},
            "sweep has all its pods again.",
        ),
        (
            "PODS_RESIZED",
            {"granted": [{"count": 3, "cluster": "west", "node": "n1"}], "taken": []},
            "sweep gets 3 pods on west.",
        ),
        ("REQUEST_FULFILLED", {}, "sweep finished."),
        ("REQUEST_ABORTED", {}, "sweep was withdrawn."),
        ("REQUEST_FAILED", {}, "sweep failed."),
        ("REQUEST_FALLBACK", {}, "sweep fell back to another flavor."),
        (
            "QUOTA_BORROWED",
            {"borrowed": {"spot/gpu": 4000, "spot/cpu": 500}, "cohort": "ml"},
            "sweep borrows 4 GPUs and 0.5 CPU on spot from cohort ml.",
        ),
        ("QUOTA_BORROWED", {}, "sweep borrows quota from its cohort."),
        (
            "QUOTA_RECLAIMED",
            {
                "borrowed": {"spot/nvidia.com/gpu": 4000},
                "cohort": "ml",
                "reason": "reclaimed_in_cohort",
                "victims": ["a", "b"],
            },
            "sweep reclaims 4 nvidia.com/gpu on spot in cohort ml: 2 workloads are preempted.",
        ),
        ("QUOTA_RECLAIMED", {}, "sweep reclaims quota in its cohort."),
        (
            "QUOTA_RECLAIMED",
            {"reason": "reclaimed_while_borrowing", "victims": ["a"]},
            (
                "sweep borrows quota from lower-priority borrowers in its cohort: 1 workload is "
                "preempted."
            ),
        ),
        (
            "QUOTA_RECLAIMED",
            {"reason": "preempted_for_fair_share", "cohort": "ml", "victims": ["a"]},
            "sweep takes its fair share of cohort ml: 1 workload is preempted.",
        ),
    ],
)
def test_events(kind: str, data: dict[str, object], sentence: str) -> None:
    assert event_sentence(kind, {"name": "sweep"} | data) == sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"version": 2}, "Config version 2 was applied"),
        ({"version": 2, "message": "More gpu"}, "Config version 2 was applied: More gpu"),
        (
            {"version": 2, "via": "schedule", "scheduled": 7, "message": "More gpu"},
            "Config version 2 was applied by scheduled change 7: More gpu",
        ),
        (
            {"version": 3, "via": "schedule", "scheduled": 7, "ends": 2},
            "Config version 3 ended the temporary change of version 2",
        ),
        (
            {"version": 1, "from": 0, "via": "client"},
            "Config version 1 was applied by a client, as the first",
        ),
        (
            {"version": 3, "from": 2, "via": "client"},
            "Config version 3 was applied by a client, on top of version 2",
        ),
        (
            {"version": 3, "kind": "rollback", "from": 2, "message": ""},
            "Config version 3 was applied, rolling back from version 2",
        ),
        (
            {"version": 3, "kind": "rollback", "from": 2, "back_to": 1, "message": "No"},
            "Config version 3 was applied, rolling back from version 2 to version 1: No",
        ),
        (
            {"version": 2, "reverts_at": "2026-01-31T12:00:00Z"},
            "Config version 2 was applied, to be confirmed in time",
        ),
        ({"version": 2, "kind": "confirm"}, "Config version 2 was confirmed"),
        (
            {"version": 3, "kind": "merge", "from": 1, "draft": 7},
            "A draft based on version 1 was merged with version 3",
        ),
        (
            {"version": 3, "kind": "rebase", "from": 1, "draft": 7},
            (
                "A draft based on version 1 was rebased onto version 3 with its text unchanged, "
                "without a merge"
            ),
        ),
        (
            {"version": 2, "kind": "revert_failed", "from": 2, "back_to": 1},
            (
                "Config version 2 was not confirmed in time, but the text of version 1 has errors "
                "under the current checks: nothing was reverted, and an owner has to decide"
            ),
        ),
    ],
)
def test_config_events(data: dict[str, object], sentence: str) -> None:
    assert event_sentence("CONFIG_UPDATED", data) == sentence
