"""Views of members, their roles, and invitations."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.errors import BadRequest, Conflict
from console.links import invitation_link
from console.orgs.identities import Identity, groups_in
from console.orgs.models import Membership, Role
from console.orgs.people import get_member, invitations_above, list_invitations, search_members
from console.orgs.permissions import Actor, Permission
from console.orgs.services.change_role import RoleChange, change_role
from console.orgs.services.check_role import check_role
from console.orgs.services.invite import MOST_DAYS, USUAL_DAYS, invite, revoke_invitation
from console.orgs.services.remove_member import leave_org, remove_member
from console.orgs.services.set_identity import set_identity
from console.orgs.tokens import valid_tokens_of
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.presenters.people.roles import role_choices
from console.pages.shell import render_page


@org_page
@require_safe
def settings(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Redirect to the first page of the settings."""
    return HttpResponseRedirect(reverse("pages:members", args=[actor.org.slug]))


@org_page
@require_safe
def members(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the members by the filters of the address."""
    query = canonical_query(request.GET)
    if role := query.get("role", ""):
        check_role(role)
    page = search_members(actor.org, query.get("q", ""), role, PAGE_SIZE, query.get("cursor"))
    context = {
        "members": page.results,
        "pager": pager_of(request.path, query, page),
        "is_start": not query.get("cursor"),
        "chips": chips_of(request.path, query, ("q", "role")),
        "chosen": query,
        "roles": Role.values,
        "choices": role_choices(""),
        "you": signed_in_user(request),
    }
    return render_page(request, actor, "settings/members.html", context, section="settings")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def member(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show a member; change the role or identity, remove the member, or leave the organization."""
    membership = get_member(actor.org, number)
    is_own = membership.user == actor.user
    if not is_own:
        actor.require(Permission.MANAGE_ORG)
    error, status = "", HTTPStatus.OK
    if request.method == "POST":
        try:
            return _change(request, actor, membership, is_own=is_own)
        except Conflict as conflict:
            error, status = conflict.message, HTTPStatus.CONFLICT
        except BadRequest as bad:
            if request.POST.get("do") != "identity":
                raise
            error, status = bad.message, HTTPStatus.UNPROCESSABLE_ENTITY
    chosen = request.POST.get("role", membership.role)
    context = {
        "member": membership,
        "is_own": is_own,
        "error": error,
        "choices": role_choices(chosen, membership.role),
        "own_user": request.POST.get("user", membership.user_name),
        "groups": request.POST.get("groups", "\n".join(membership.groups)),
        "tokens": valid_tokens_of(actor.org, membership.user),
        "invitations": invitations_above(actor.org, membership.user, membership.role),
    }
    return render_page(
        request, actor, "settings/member.html", context, section="settings", status=status
    )


def _change(
    request: HttpRequest, actor: Actor, membership: Membership, *, is_own: bool
) -> HttpResponse:
    email = membership.user.email
    to = reverse("pages:members", args=[actor.org.slug])
    match request.POST.get("do"):
        case "role":
            keep = "keep_tokens" in request.POST
            changed = change_role(
                actor, membership.pk, request.POST.get("role", ""), keep_tokens=keep
            )
            role = changed.membership.role
            messages.success(request, f"{email} is {role} from the next request.")
            _add_token_messages(request, changed)
            if invitations_above(actor.org, membership.user, role) and not is_own:
                to = reverse("pages:member", args=[actor.org.slug, membership.pk])
        case "identity":
            groups = groups_in(request.POST.get("groups", ""))
            identity = Identity(request.POST.get("user", "").strip(), tuple(groups))
            set_identity(actor, membership.pk, identity)
            message = f"The user and groups of {email} apply from the next submission."
            messages.success(request, message)
            to = reverse("pages:member", args=[actor.org.slug, membership.pk])
        case "leave" if is_own:
            leave_org(actor)
            messages.success(request, f"You have left {actor.org.name}.")
            to = f"{reverse('pages:orgs')}?all"
        case "remove" if not is_own:
            keep = "keep_tokens" in request.POST
            removed = remove_member(actor, membership.pk, keep_tokens=keep)
            messages.success(request, f"{email} was removed and signed out.")
            _add_token_messages(request, removed)
            if open_links := len(invitations_above(actor.org, membership.user, None)):
                messages.warning(
                    request,
                    f"Invitations by {email} that are still open: {open_links}. Revoke those "
                    "that are not needed.",
                )
                to = reverse("pages:invitations", args=[actor.org.slug])
        case _:
            raise BadRequest([], "Unknown action.")
    return HttpResponseRedirect(to)


def _add_token_messages(request: HttpRequest, change: RoleChange) -> None:
    if change.tokens.ended:
        messages.info(
            request, f"API tokens revoked, because they granted more: {change.tokens.ended}."
        )
    if change.tokens.kept:
        messages.info(request, f"API tokens transferred to you: {change.tokens.kept}.")


@org_page
@require_safe
def invitations(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the open invitations."""
    actor.require(Permission.MANAGE_ORG)
    page = list_invitations(actor.org, PAGE_SIZE, request.GET.get("cursor"))
    context = {
        "invitations": page.results,
        "now": timezone.now(),
        "pager": pager_of(request.path, request.GET, page),
    }
    return render_page(request, actor, "settings/invitations.html", context, section="settings")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_invitation(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form for an invitation; on submission, show the link of the invitation once."""
    actor.require(Permission.MANAGE_ORG)
    typed = {
        "email": request.POST.get("email", "").strip(),
        "role": request.POST.get("role", Role.VIEWER),
        "days": request.POST.get("days", str(USUAL_DAYS)),
    }
    errors: dict[str, str] = {}
    if request.method == "POST":
        days = typed["days"]
        number = int(days) if days.isascii() and days.isdigit() and len(days) < 5 else 0
        try:
            invited = invite(actor, typed["email"], typed["role"], number)
        except BadRequest as error:
            errors = {each.path: each.message for each in error.errors}
        except Conflict as error:
            errors = {"email": error.message}
        else:
            context = {
                "invitation": invited.invitation,
                "link": invitation_link(request, invited.secret),
            }
            return render_page(request, actor, "settings/invited.html", context, section="settings")
    context = {
        "typed": typed,
        "errors": errors,
        "choices": role_choices(typed["role"]),
        "most_days": MOST_DAYS,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if errors else HTTPStatus.OK
    return render_page(
        request, actor, "settings/invite.html", context, section="settings", status=status
    )


@org_page
@require_POST
def revoke(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Revoke an invitation."""
    invitation = revoke_invitation(actor, number)
    messages.success(request, f"The invitation of {invitation.email} is revoked.")
    return HttpResponseRedirect(reverse("pages:invitations", args=[actor.org.slug]))
