"""The sections of the documentation that explain pages and diagnostic codes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.urls import reverse

from console.dialects import dialects
from console.documentation.library import Library, document_url, library

#: Name of a page -> its section, as document#anchor; without an anchor, the whole document.
SECTIONS: Final[Mapping[str, str]] = {
    "orgs": "overview#organizations",
    "sessions": "people-and-tokens#signing-in",
    "password": "people-and-tokens#signing-in",
    "tokens": "people-and-tokens#api-tokens",
    "overview": "overview",
    "attention": "overview#needs-attention",
    "search": "reach#keyboard",
    "queues": "queues#the-list",
    "queue": "queues#the-page-of-a-queue",
    "queue-quota": "queues#change-the-quota",
    "queue-usage": "usage-over-time",
    "queue-bars": "cohorts#quota-bars",
    "quota-bars": "cohorts#quota-bars",
    "cohorts": "cohorts#on-the-pages",
    "cohort": "cohorts#the-numbers",
    "cohort-quota": "queues#change-the-quota",
    "cohort-usage": "usage-over-time",
    "shares": "fair-shares",
    "users": "hierarchical-queues#users-and-groups",
    "placement-rules": "hierarchical-queues#placement-rules",
    "capacity": "capacity#the-page-capacity",
    "cluster": "capacity#the-page-capacity",
    "cluster-usage": "usage-over-time",
    "usage": "usage-over-time",
    "workloads": "workloads#the-list",
    "workloads-selected": "workloads#select-many",
    "workloads-reason": "workloads#all-of-one-reason",
    "workload-views": "workloads#saved-views",
    "workload-new": "api#submit-workloads",
    "workload": "workloads#one-workload",
    "workload-trace": "concepts#why-it-waits",
    "workload-changes": "concepts#workloads-that-cannot-run",
    "workload-compare": "workloads#compare",
    "decision": "workloads#decisions",
    "preemption": "workloads#receipts-of-preemptions",
    "config": "history#what-changes",
    "config-version": "history#what-changes",
    "config-edit": "editor#the-parts-of-the-editor",
    "config-draft": "editor#the-parts-of-the-editor",
    "config-drafts": "editor#drafts",
    "config-codes": "diagnostics",
    "config-queue-new": "queues#add-a-queue",
    "config-rule-move": "queues#move-a-rule",
    "config-review": "applying#review",
    "config-requests": "approval#review-requests",
    "config-request": "approval#review-requests",
    "config-scheduled": "scheduled-changes",
    "config-scheduled-change": "scheduled-changes",
    "config-conflict": "applying#concurrent-changes",
    "config-impact": "impact",
    "config-impact-run": "impact",
    "config-history": "history#the-history",
    "config-compare-form": "history#what-changes",
    "config-compare": "history#what-changes",
    "tester": "testing-rules",
    "tester-batch": "testing-rules#many-at-once",
    "placements": "testing-rules#placements",
    "expectations": "testing-rules#expectations",
    "expectation-new": "testing-rules#expectations",
    "expectation": "testing-rules#expectations",
    "events": "events-and-audit#reading-the-logs",
    "audit": "events-and-audit#audit-entries",
    "members": "people-and-tokens#roles",
    "member": "people-and-tokens#roles",
    "invitations": "people-and-tokens#invitations",
    "invitation-new": "people-and-tokens#invitations",
    "api-tokens": "people-and-tokens#api-tokens",
    "api-token-new": "people-and-tokens#api-tokens",
    "api-token": "people-and-tokens#api-tokens",
    "approval": "approval",
    "retention": "operations#retention",
    "notifications": "notifications#how-it-works",
    "appearance": "reach#screen",
    "webhooks": "webhooks",
    "webhook-new": "webhooks#event-types",
    "webhook": "webhooks#how-it-works",
    "webhook-edit": "webhooks#event-types",
    "webhook-delivery": "webhooks#what-is-sent",
}

#: The document with a section for each diagnostic code.
CODES: Final = "diagnostics"


def help_url(page: str) -> str:
    """Return the address of the section that explains *page*; empty if there is none."""
    return _url_of(SECTIONS[page]) if page in SECTIONS else ""


def reference_url(dialect: str) -> str:
    """Return the address of the reference of a config language; empty if there is none."""
    language = dialects().get(dialect)
    return _url_of(language.reference) if language is not None and language.reference else ""


def code_page(org: str, code: str) -> str:
    """
    Return the page on which *code* is the anchor of the section about it.

    A code of an added scheduler is not in the documentation: the page is that of *org*, then.
    """
    if code in _documented_codes(library()):
        return document_url(CODES)
    return reverse("pages:config-codes", args=[org])


def _url_of(section: str) -> str:
    name, _, anchor = section.partition("#")
    return document_url(name, anchor)


@lru_cache(maxsize=4)
def _documented_codes(found: Library) -> frozenset[str]:
    document = found.documents.get(CODES)
    return (
        frozenset(each.code for each in document.sections if each.code) if document else frozenset()
    )
