"""Search results of the command palette: objects and pages of an organization, documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from django.urls import reverse

from console.documentation.library import INDEX, document_url, library
from console.documentation.search import Hit, hit_of, search
from console.orgs.org_creation import may_create_orgs
from console.orgs.permissions import Actor, Permission
from console.pages.help_links import SECTIONS
from console.workloads.queries.name_search import NameMatches


@dataclass(frozen=True, slots=True)
class Destination:
    """A link, with a note beside its title."""

    title: str
    url: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Destinations of one kind; at least one."""

    title: str
    destinations: tuple[Destination, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A page of every organization; *words* are additional search terms."""

    title: str
    name: str
    words: str = ""
    needs: Permission = Permission.READ


_PLACES: Final = (
    _Place("Overview", "overview", "home"),
    _Place("Needs attention", "attention", "problems alerts"),
    _Place("Queues", "queues", "hold pause resume quota"),
    _Place("New queue", "config-queue-new", "add create queue rule", Permission.APPLY),
    _Place("Cohorts", "cohorts", "borrowing lending"),
    _Place("Capacity", "capacity", "clusters nodes"),
    _Place("Usage over time", "usage", "charts history waits gpu hours teams consumers"),
    _Place("Workloads", "workloads", "jobs services"),
    _Place("My workloads", "workloads-mine", "mine own jobs"),
    _Place("Submit workloads", "workload-new", "new create", Permission.SUBMIT),
    _Place("Saved views of workloads", "workload-views", "filters"),
    _Place("Active config", "config", "yaml version"),
    _Place("Edit the config", "config-edit", "editor draft yaml", Permission.DRAFT),
    _Place("Drafts", "config-drafts"),
    _Place("Review requests", "config-requests", "approve approval comments"),
    _Place("Config history", "config-history", "versions rollback"),
    _Place("Compare versions", "config-compare-form", "diff"),
    _Place("Diagnostic codes", "config-codes", "diagnostics lints"),
    _Place("Rule tester", "tester", "route labels"),
    _Place("Test many label sets", "tester-batch", "route csv"),
    _Place("Waiting workloads by cluster", "placements", "matrix placement pending"),
    _Place("Expectations", "expectations", "tests"),
    _Place("Events", "events", "log"),
    _Place("Audit", "audit", "who changed log"),
    _Place("How to read quota bars", "quota-bars", "help legend"),
    _Place("Appearance", "appearance", "settings theme dark light density shortcuts"),
    _Place("Approval", "approval", "settings second approver review"),
    _Place("Notifications", "notifications", "settings e-mail mail subscribe digest"),
    _Place("Retention", "retention", "settings deletion history"),
    _Place("Organization", "org-settings", "settings rename name slug"),
    _Place("Members", "members", "settings people roles"),
    _Place("Invitations", "invitations", "settings people invite", Permission.MANAGE_ORG),
    _Place("API tokens", "api-tokens", "settings secrets keys", Permission.MANAGE_ORG),
    _Place("Webhooks", "webhooks", "settings slack notifications", Permission.MANAGE_ORG),
)


def destinations_of(actor: Actor, text: str, named: NameMatches, most: int) -> tuple[Group, ...]:
    """
    Return the destinations of *actor* for *text*, objects first; no group is empty.

    There are at most *most* sections of the documentation.
    """
    slug = actor.org.slug
    groups = (
        Group("Versions", tuple(_versions(slug, named))),
        Group("Queues", tuple(_by_name(slug, "queue", named.queues))),
        Group("Cohorts", tuple(_by_name(slug, "cohort", named.cohorts))),
        Group("Clusters", tuple(_by_name(slug, "cluster", named.clusters))),
        Group("Workloads", tuple(_workloads(slug, named))),
        Group("Pages", tuple(_pages(actor, text))),
        Group("Documentation", tuple(_documentation(text, most))),
    )
    return tuple(group for group in groups if group.destinations)


def _versions(slug: str, named: NameMatches) -> Iterator[Destination]:
    if named.version is not None:
        number = named.version.number
        url = reverse("pages:config-version", args=[slug, number])
        yield Destination(f"v{number}", url, named.version.message)


def _by_name(slug: str, name: str, found: tuple[str, ...]) -> Iterator[Destination]:
    for each in found:
        yield Destination(each, reverse(f"pages:{name}", args=[slug, each]))


def _workloads(slug: str, named: NameMatches) -> Iterator[Destination]:
    for each in named.workloads:
        url = reverse("pages:workload", args=[slug, each.uid])
        yield Destination(each.name, url, f"{each.get_state_display()}, {each.uid}")


def _pages(actor: Actor, text: str) -> Iterator[Destination]:
    for place in _places(text):
        if actor.may(place.needs):
            yield Destination(place.title, reverse(f"pages:{place.name}", args=[actor.org.slug]))
    words_of_org = "new organization create add tenant"
    may_create = actor.user is not None and may_create_orgs(actor.user)
    if may_create and all(word in words_of_org for word in text.casefold().split()):
        yield Destination("New organization", reverse("pages:org-new"))


def _places(text: str) -> Iterator[_Place]:
    """Yield the pages whose title and other words contain all words of *text*."""
    words = text.casefold().split()
    for place in _PLACES:
        search_text = f"{place.title} {place.words}".casefold()
        if all(word in search_text for word in words):
            yield place


def _documentation(text: str, most: int) -> Iterator[Destination]:
    """
    Yield the sections for *text*: by title, by the words of the page they explain, by their text.

    Without *text*, the table of contents.
    """
    if not text:
        yield Destination("Documentation", document_url(INDEX))
        return
    known = library()
    found = search(known, text)
    named = (SECTIONS[place.name] for place in _places(text) if place.name in SECTIONS)
    explained = (hit for section in named if (hit := hit_of(known, section)) is not None)
    hits = (*found.titled(most), *explained, *found.hits(0, most))
    unique = {hit.url: hit for hit in reversed(hits)}
    ordered = dict.fromkeys(hit.url for hit in hits)
    for url in islice(ordered, most):
        yield _section(unique[url])


def _section(hit: Hit) -> Destination:
    note = hit.document.title if hit.section.level > 1 else ""
    return Destination(hit.section.title, hit.url, note)
