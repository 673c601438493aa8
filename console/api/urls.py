"""URLs of the API."""

from django.urls import path, re_path

# Registers the authentication schemes of the OpenAPI document; workers never load them.
import console.api.schemas.security  # noqa: F401
from console.api.base import NoSuchAddress
from console.api.views.accounts import Accounts
from console.api.views.activation import (
    ActivateWorkload,
    ActivateWorkloads,
    DeactivateWorkload,
    DeactivateWorkloads,
)
from console.api.views.audit import Audit
from console.api.views.capacity import Capacity, ClusterHeartbeat, OneCluster
from console.api.views.cohorts import Cohorts, OneCohort
from console.api.views.configs import (
    ActiveConfig,
    ConfigCheck,
    ConfigRollback,
    ConfigSchema,
    ConfigVersions,
    OneVersion,
    VersionDiff,
)
from console.api.views.confirm import ConfigConfirm
from console.api.views.description import Description
from console.api.views.endings import (
    FinishWorkload,
    FinishWorkloads,
    ReleaseWorkload,
    ReleaseWorkloads,
    WithdrawWorkload,
    WithdrawWorkloads,
)
from console.api.views.feeds import Decisions, Events
from console.api.views.hierarchy.placement_rules import PlacementRules
from console.api.views.hierarchy.users import UsersAndGroups
from console.api.views.impact import CancelImpact, ConfigImpact, OneImpact
from console.api.views.new_queue import CreateQueue
from console.api.views.orgs import OneOrg, Orgs
from console.api.views.overview import Overview
from console.api.views.people import (
    Invitations,
    MemberIdentity,
    Members,
    OneInvitation,
    OneMember,
)
from console.api.views.pods import FinishPods, ReleasePods
from console.api.views.preemptions import OnePreemption, Preemptions
from console.api.views.priorities import ChangePriorities, ChangePriority
from console.api.views.queues import HoldQueue, OneQueue, QueuePending, Queues, ResumeQueue
from console.api.views.quota import ChangeCohortQuota, ChangeQuota
from console.api.views.resubmissions import ResubmitWorkloads
from console.api.views.retention import Retention
from console.api.views.reviews import Approval, OneReview, ReviewComments, Reviews
from console.api.views.routing import (
    CheckExpectations,
    ConfigRoute,
    DeleteExpectations,
    Expectations,
)
from console.api.views.rule_moves import MoveRule
from console.api.views.saved_views import OneView, SavedViews
from console.api.views.scheduled_changes import CarryOut, OneScheduledChange, ScheduledChanges
from console.api.views.shares import Shares
from console.api.views.tokens import OneToken, RotateToken, Tokens
from console.api.views.usage import Usage, Waits
from console.api.views.webhooks import (
    Deliveries,
    OneDelivery,
    OneWebhook,
    ReplayDelivery,
    RotateSecret,
    SendTest,
    Webhooks,
)
from console.api.views.workloads import (
    OneWorkload,
    WorkloadExplanation,
    Workloads,
    WorkloadSearch,
)

app_name = "api"

_ORG = "orgs/<str:org>"
_WORKLOAD = f"{_ORG}/workloads/<str:uid>"
_TOKEN = f"{_ORG}/tokens/<int:number>"
_VERSION = f"{_ORG}/config/versions/<int:number>"
_WEBHOOK = f"{_ORG}/webhooks/<int:number>"
_DELIVERY = f"{_WEBHOOK}/deliveries/<str:delivery>"
_CLUSTER = f"{_ORG}/capacity/clusters/<str:name>"
# The name of a queue can contain slashes, so the longer patterns come first.
_QUEUE = f"{_ORG}/queues/<path:queue>"
# The renderers of these views cannot render the framework's response to OPTIONS.
_READ = ["get", "head"]

urlpatterns = [
    path("orgs", Orgs.as_view(), name="orgs"),
    path(_ORG, OneOrg.as_view(), name="org"),
    path(f"{_ORG}/overview", Overview.as_view(), name="overview"),
    path(f"{_ORG}/retention", Retention.as_view(), name="retention"),
    path(f"{_ORG}/workloads", Workloads.as_view(), name="workloads"),
    path(f"{_ORG}/workloads/finish", FinishWorkloads.as_view(), name="finish-workloads"),
    path(f"{_ORG}/workloads/withdraw", WithdrawWorkloads.as_view(), name="withdraw-workloads"),
    path(f"{_ORG}/workloads/resubmit", ResubmitWorkloads.as_view(), name="resubmit-workloads"),
    path(
        f"{_ORG}/workloads/deactivate", DeactivateWorkloads.as_view(), name="deactivate-workloads"
    ),
    path(f"{_ORG}/workloads/activate", ActivateWorkloads.as_view(), name="activate-workloads"),
    path(f"{_ORG}/workloads/priority", ChangePriorities.as_view(), name="change-priorities"),
    path(f"{_ORG}/workloads/release", ReleaseWorkloads.as_view(), name="release-workloads"),
    path(_WORKLOAD, OneWorkload.as_view(), name="workload"),
    path(f"{_WORKLOAD}/explanation", WorkloadExplanation.as_view(), name="explanation"),
    path(f"{_WORKLOAD}/search", WorkloadSearch.as_view(), name="search"),
    path(f"{_WORKLOAD}/finish", FinishWorkload.as_view(), name="finish-workload"),
    path(f"{_WORKLOAD}/withdraw", WithdrawWorkload.as_view(), name="withdraw-workload"),
    path(f"{_WORKLOAD}/deactivate", DeactivateWorkload.as_view(), name="deactivate-workload"),
    path(f"{_WORKLOAD}/activate", ActivateWorkload.as_view(), name="activate-workload"),
    path(f"{_WORKLOAD}/priority", ChangePriority.as_view(), name="change-priority"),
    path(f"{_WORKLOAD}/release", ReleaseWorkload.as_view(), name="release-workload"),
    path(f"{_WORKLOAD}/pods/finish", FinishPods.as_view(), name="finish-pods"),
    path(f"{_WORKLOAD}/pods/release", ReleasePods.as_view(), name="release-pods"),
    path(f"{_WORKLOAD}/preemptions", Preemptions.as_view(), name="preemptions"),
    path(f"{_WORKLOAD}/preemptions/<int:number>", OnePreemption.as_view(), name="preemption"),
    path(f"{_ORG}/views", SavedViews.as_view(), name="views"),
    path(f"{_ORG}/views/<int:number>", OneView.as_view(), name="view"),
    path(f"{_ORG}/config", ActiveConfig.as_view(), name="config"),
    path(f"{_ORG}/config/check", ConfigCheck.as_view(), name="config-check"),
    path(f"{_ORG}/config/schema", ConfigSchema.as_view(), name="config-schema"),
    path(f"{_ORG}/config/queues", CreateQueue.as_view(), name="create-queue"),
    path(f"{_ORG}/config/rules/move", MoveRule.as_view(), name="move-rule"),
    path(f"{_ORG}/config/rollback", ConfigRollback.as_view(), name="config-rollback"),
    path(f"{_ORG}/config/confirm", ConfigConfirm.as_view(), name="config-confirm"),
    path(f"{_ORG}/config/approval", Approval.as_view(), name="approval"),
    path(f"{_ORG}/config/reviews", Reviews.as_view(), name="reviews"),
    path(f"{_ORG}/config/reviews/<int:number>", OneReview.as_view(), name="review"),
    path(
        f"{_ORG}/config/reviews/<int:number>/comments",
        ReviewComments.as_view(),
        name="review-comments",
    ),
    path(f"{_ORG}/config/scheduled", ScheduledChanges.as_view(), name="scheduled-changes"),
    path(
        f"{_ORG}/config/scheduled/<int:number>",
        OneScheduledChange.as_view(),
        name="scheduled-change",
    ),
    path(
        f"{_ORG}/config/scheduled/<int:number>/carry-out",
        CarryOut.as_view(),
        name="carry-out-scheduled-change",
    ),
    path(f"{_ORG}/config/route", ConfigRoute.as_view(), name="config-route"),
    path(f"{_ORG}/config/expectations", Expectations.as_view(), name="expectations"),
    path(
        f"{_ORG}/config/expectations/check",
        CheckExpectations.as_view(),
        name="check-expectations",
    ),
    path(
        f"{_ORG}/config/expectations/delete",
        DeleteExpectations.as_view(),
        name="delete-expectations",
    ),
    path(f"{_ORG}/config/impact", ConfigImpact.as_view(), name="config-impact"),
    path(f"{_ORG}/config/impact/<int:run>", OneImpact.as_view(), name="impact"),
    path(f"{_ORG}/config/impact/<int:run>/cancel", CancelImpact.as_view(), name="cancel-impact"),
    path(f"{_ORG}/config/versions", ConfigVersions.as_view(), name="versions"),
    path(_VERSION, OneVersion.as_view(), name="version"),
    path(f"{_VERSION}/diff", VersionDiff.as_view(), name="version-diff"),
    path(f"{_ORG}/queues", Queues.as_view(), name="queues"),
    path(f"{_QUEUE}/pending", QueuePending.as_view(), name="queue-pending"),
    path(f"{_QUEUE}/hold", HoldQueue.as_view(), name="hold-queue"),
    path(f"{_QUEUE}/quota", ChangeQuota.as_view(), name="change-quota"),
    path(f"{_QUEUE}/resume", ResumeQueue.as_view(), name="resume-queue"),
    path(_QUEUE, OneQueue.as_view(), name="queue"),
    path(f"{_ORG}/shares", Shares.as_view(), name="shares"),
    path(f"{_ORG}/users", UsersAndGroups.as_view(), name="users"),
    path(f"{_ORG}/placement-rules", PlacementRules.as_view(), name="placement-rules"),
    path(f"{_ORG}/cohorts", Cohorts.as_view(), name="cohorts"),
    path(
        f"{_ORG}/cohorts/<path:cohort>/quota",
        ChangeCohortQuota.as_view(),
        name="change-cohort-quota",
    ),
    path(f"{_ORG}/cohorts/<path:cohort>", OneCohort.as_view(), name="cohort"),
    path(f"{_ORG}/capacity", Capacity.as_view(), name="capacity"),
    path(f"{_CLUSTER}/heartbeat", ClusterHeartbeat.as_view(), name="heartbeat"),
    path(_CLUSTER, OneCluster.as_view(), name="cluster"),
    path(f"{_ORG}/accounts", Accounts.as_view(), name="accounts"),
    path(f"{_ORG}/usage", Usage.as_view(), name="usage"),
    path(f"{_ORG}/waits", Waits.as_view(), name="waits"),
    path(f"{_ORG}/decisions", Decisions.as_view(), name="decisions"),
    path(f"{_ORG}/events", Events.as_view(), name="events"),
    path(f"{_ORG}/audit", Audit.as_view(), name="audit"),
    path(f"{_ORG}/members", Members.as_view(), name="members"),
    path(f"{_ORG}/members/<int:number>", OneMember.as_view(), name="member"),
    path(f"{_ORG}/members/<int:number>/identity", MemberIdentity.as_view(), name="member-identity"),
    path(f"{_ORG}/invitations", Invitations.as_view(), name="invitations"),
    path(f"{_ORG}/invitations/<int:number>", OneInvitation.as_view(), name="invitation"),
    path(f"{_ORG}/tokens", Tokens.as_view(), name="tokens"),
    path(_TOKEN, OneToken.as_view(), name="token"),
    path(f"{_TOKEN}/rotate", RotateToken.as_view(), name="rotate-token"),
    path(f"{_ORG}/webhooks", Webhooks.as_view(), name="webhooks"),
    path(_WEBHOOK, OneWebhook.as_view(), name="webhook"),
    path(f"{_WEBHOOK}/rotate", RotateSecret.as_view(), name="rotate-webhook"),
    path(f"{_WEBHOOK}/test", SendTest.as_view(), name="test-webhook"),
    path(f"{_WEBHOOK}/deliveries", Deliveries.as_view(), name="deliveries"),
    path(_DELIVERY, OneDelivery.as_view(), name="delivery"),
    path(f"{_DELIVERY}/replay", ReplayDelivery.as_view(), name="replay-delivery"),
    path("schema/", Description.as_view(http_method_names=_READ), name="schema"),
    re_path("", NoSuchAddress.as_view(), name="no-such-address"),
]
