"""Addresses of the pages; every one is a plain GET that works without scripts."""

from django.urls import path, register_converter

from console.pages.converters import NameConverter
from console.pages.views import (
    assist_calls,
    codes,
    cohorts,
    comparisons,
    configs,
    confirm,
    conflicts,
    draft_calls,
    drafts,
    events,
    expectations,
    history,
    impact,
    orgs,
    overview,
    queues,
    reviews,
    route_batches,
    sessions,
    submit,
    tester,
    tokens,
    workloads,
)

register_converter(NameConverter, "name")

app_name = "pages"

_DRAFT = "o/<slug:org>/config/drafts/<int:number>"

urlpatterns = [
    path("", orgs.home, name="home"),
    path("login", sessions.sign_in, name="sign-in"),
    path("logout", sessions.sign_out, name="sign-out"),
    path("password", sessions.password, name="password"),
    path("tokens", tokens.tokens, name="tokens"),
    # What the public anyscale client names when it has no token, or a wrong one.
    path("v2/api-keys", tokens.client_keys, name="client-keys"),
    path("theme", sessions.theme, name="theme"),
    path("o/", orgs.org_list, name="orgs"),
    path("o/<slug:org>/", overview.overview, name="overview"),
    path("o/<slug:org>/queues", queues.queues, name="queues"),
    path("o/<slug:org>/queues/<name:queue>", queues.queue, name="queue"),
    path("o/<slug:org>/cohorts", cohorts.cohorts, name="cohorts"),
    path("o/<slug:org>/cohorts/<name:cohort>", cohorts.cohort, name="cohort"),
    path("o/<slug:org>/workloads", workloads.workloads, name="workloads"),
    path("o/<slug:org>/workloads/new", submit.submit, name="workload-new"),
    path("o/<slug:org>/workloads/<slug:uid>", workloads.workload, name="workload"),
    path("o/<slug:org>/workloads/<slug:uid>/changes", workloads.changes, name="workload-changes"),
    path(
        "o/<slug:org>/workloads/<slug:uid>/decisions/<int:number>",
        workloads.decision,
        name="decision",
    ),
    path("o/<slug:org>/config", configs.active, name="config"),
    path("o/<slug:org>/config/edit", drafts.edit, name="config-edit"),
    path("o/<slug:org>/config/edit/check", draft_calls.check, name="config-check"),
    path("o/<slug:org>/config/edit/complete", assist_calls.complete, name="config-complete"),
    path("o/<slug:org>/config/edit/explain", assist_calls.explain, name="config-explain"),
    path("o/<slug:org>/config/edit/context", assist_calls.context, name="config-context"),
    path("o/<slug:org>/config/edit/hits", assist_calls.hits, name="config-hits"),
    path("o/<slug:org>/config/edit/begin", draft_calls.begin, name="config-draft-begin"),
    path("o/<slug:org>/config/codes", codes.codes, name="config-codes"),
    path("o/<slug:org>/config/drafts", drafts.drafts, name="config-drafts"),
    path(_DRAFT, drafts.draft, name="config-draft"),
    path(f"{_DRAFT}/text", drafts.download, name="config-draft-text"),
    path(f"{_DRAFT}/save", draft_calls.autosave, name="config-draft-save"),
    path(f"{_DRAFT}/visit", draft_calls.visit, name="config-draft-visit"),
    path(f"{_DRAFT}/leave", draft_calls.leave, name="config-draft-leave"),
    path("o/<slug:org>/config/review", reviews.review, name="config-review"),
    path("o/<slug:org>/config/review/fix", reviews.fix, name="config-fix"),
    path("o/<slug:org>/config/conflict", conflicts.conflict, name="config-conflict"),
    path("o/<slug:org>/config/confirm", confirm.confirm, name="config-confirm"),
    path("o/<slug:org>/config/impact", impact.ask, name="config-impact"),
    path("o/<slug:org>/config/impact/again", impact.ask_again, name="config-impact-again"),
    path("o/<slug:org>/config/impact/<int:run>", impact.show, name="config-impact-run"),
    path("o/<slug:org>/config/impact/<int:run>/cancel", impact.cancel, name="config-impact-cancel"),
    path("o/<slug:org>/config/history", history.history, name="config-history"),
    path("o/<slug:org>/config/v/<int:number>", configs.version, name="config-version"),
    path("o/<slug:org>/config/compare", comparisons.choose, name="config-compare-form"),
    path(
        "o/<slug:org>/config/compare/<int:old>...<int:new>",
        comparisons.compare,
        name="config-compare",
    ),
    path("o/<slug:org>/tools/route", tester.tester, name="tester"),
    path("o/<slug:org>/tools/route/many", route_batches.batch, name="tester-batch"),
    path("o/<slug:org>/tools/expectations", expectations.expectations, name="expectations"),
    path("o/<slug:org>/tools/expectations/new", expectations.new, name="expectation-new"),
    path("o/<slug:org>/tools/expectations/<int:number>", expectations.one, name="expectation"),
    path("o/<slug:org>/events", events.events, name="events"),
]
