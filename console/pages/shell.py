"""The shell of an organization's pages: navigation, active version, age and permissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone

from console.configs.models import ConfigVersion, RevertTimer
from console.configs.queries import count_reviews_for, revert_timer_of
from console.dialects import dialects
from console.engine.disciplines import load_discipline
from console.orgs.models import Organization, User
from console.orgs.org_creation import may_create_orgs
from console.orgs.permissions import Actor, Permission
from console.overview.badges import badges_of
from console.pages.poll import PollRequest
from console.pages.snapshots import Stamp
from console.policies.queries import NO_POLICY, active_version
from console.workloads.queries.freshness import present_state

#: Maximum number of organizations in the switcher; the page of organizations lists all.
SWITCHER_SIZE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One entry of the navigation rail; the shortcut is ``g`` and then *key*."""

    name: str
    #: Empty for a section of a discipline, which supplies the title.
    title: str = ""
    url_name: str
    key: str
    #: The section of a discipline that the entry links; empty: every organization has the entry.
    section: str = ""


NAV = (
    NavItem(name="overview", title="Overview", url_name="pages:overview", key="o"),
    NavItem(name="queues", title="Queues", url_name="pages:queues", key="q"),
    NavItem(name="cohorts", url_name="pages:cohorts", key="k", section="cohorts"),
    NavItem(name="shares", url_name="pages:shares", key="f", section="shares"),
    NavItem(name="users", url_name="pages:users", key="u", section="users"),
    NavItem(
        name="placement_rules",
        url_name="pages:placement-rules",
        key="p",
        section="placement_rules",
    ),
    NavItem(name="capacity", title="Capacity", url_name="pages:capacity", key="a"),
    NavItem(name="usage", title="Usage", url_name="pages:usage", key="r"),
    NavItem(name="workloads", title="Workloads", url_name="pages:workloads", key="w"),
    NavItem(name="config", title="Config", url_name="pages:config", key="c"),
    NavItem(name="tester", title="Rule tester", url_name="pages:tester", key="t"),
    NavItem(name="events", title="Events", url_name="pages:events", key="e"),
    NavItem(name="settings", title="Settings", url_name="pages:settings", key="s"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrgChoice:
    """An organization in the switcher, linked at the section of the open page."""

    org: Organization
    role: str
    #: Number of attention items; None if unknown.
    urgent: int | None
    url_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Data of the shell's template; *live* is the stamp for polls, or empty."""

    actor: Actor
    org: Organization
    orgs: tuple[OrgChoice, ...]
    #: Whether the reader may create organizations.
    may_create_orgs: bool
    section: str
    nav: tuple[NavItem, ...]
    active: ConfigVersion | None
    #: Number of review requests that wait for the reader.
    reviews: int
    #: The revert timer of the active version.
    timer: RevertTimer | None
    live: str
    #: Whether an open page polls, so that only the live parts are rendered.
    is_poll: bool
    build: str
    as_of: datetime

    # Evaluated only where a template uses it, because the cache key depends on the evaluated
    # permissions.

    @property
    def may_submit(self) -> bool:
        """Return whether the reader may submit workloads."""
        return self.actor.may(Permission.SUBMIT)

    @property
    def may_hold(self) -> bool:
        """Return whether the reader may hold and resume queues."""
        return self.actor.may(Permission.HOLD_QUEUES)

    @property
    def may_report_capacity(self) -> bool:
        """Return whether the reader may report and delete clusters."""
        return self.actor.may(Permission.REPORT_CAPACITY)

    @property
    def may_draft(self) -> bool:
        """Return whether the reader may edit drafts."""
        return self.actor.may(Permission.DRAFT)

    @property
    def may_apply(self) -> bool:
        """Return whether the reader may apply configs."""
        return self.actor.may(Permission.APPLY)

    @property
    def may_manage_org(self) -> bool:
        """Return whether the reader may manage members, tokens and webhooks."""
        return self.actor.may(Permission.MANAGE_ORG)


def render_page(
    request: HttpRequest,
    actor: Actor,
    template: str,
    context: Mapping[str, Any],
    *,
    section: str,
    status: int = 200,
) -> HttpResponse:
    """
    Render *template* inside the shell, with *section* marked in the rail.

    A poll is rendered without the request context, so that no data of one person is in a response
    shared with others.
    """
    shell = _shell(request, actor, section)
    if isinstance(request, PollRequest):
        known = {**context, "shell": shell, "request": request}
        return HttpResponse(render_to_string(template, known), status=status)
    return render(request, template, {**context, "shell": shell}, status=status)


def build() -> str:
    """Return the hash of this build's static files; empty without a manifest."""
    return getattr(staticfiles_storage, "manifest_hash", "")


def _shell(request: HttpRequest, actor: Actor, section: str) -> Shell:
    stamp: Stamp | None = getattr(request, "live_stamp", None)
    is_poll = isinstance(request, PollRequest)
    active = active_version(actor.org)
    return Shell(
        actor=actor,
        org=actor.org,
        orgs=() if is_poll else _choices(cast(User, request.user), section),
        may_create_orgs=not is_poll and may_create_orgs(cast(User, request.user)),
        section=section,
        nav=() if is_poll else _nav(active),
        reviews=0 if is_poll else _reviews(actor, active),
        active=active,
        timer=revert_timer_of(actor.org),
        live=str(stamp or ""),
        is_poll=is_poll,
        build=build(),
        as_of=datetime.fromtimestamp(stamp.as_of / 1000, UTC) if stamp else timezone.now(),
    )


def _nav(active: ConfigVersion | None) -> tuple[NavItem, ...]:
    """Return the navigation entries that the discipline of the *active* version supports."""
    dialect = dialects().get(active.dialect) if active else None
    # The dialect names the discipline, so that no page waits for a compiled config.
    discipline = dialect.discipline if dialect is not None else NO_POLICY.discipline
    titles = {each.key: each.title for each in load_discipline(discipline).sections()}
    return tuple(
        replace(item, title=titles[item.section]) if item.section else item
        for item in NAV
        if not item.section or item.section in titles
    )


def _reviews(actor: Actor, active: ConfigVersion | None) -> int:
    """Return the number of reviews that wait for *actor*; none do if no approval is required."""
    if not actor.org.approval_required:
        return 0
    return count_reviews_for(actor, active.number if active else 0)


def _choices(user: User, section: str) -> tuple[OrgChoice, ...]:
    url_name = next((item.url_name for item in NAV if item.name == section), "pages:overview")
    return tuple(
        OrgChoice(org=each.org, role=each.role, urgent=each.urgent, url_name=url_name)
        for each in badges_of(user, timezone.now(), SWITCHER_SIZE)
    )


def live_version(org: Organization) -> str:
    """Return a text that changes whenever data of *org* on a live page changes."""
    return present_state(org)
