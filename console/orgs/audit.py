"""Audit entries: record an action of a person or token in the transaction of the action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args

from console.bulk import insert_objects
from console.caller import current_caller
from console.orgs.models import AuditEntry, Organization, User
from console.orgs.permissions import Actor

#: All recorded actions.
Action = Literal[
    "session.sign_in",
    "session.sign_in_failed",
    "session.sign_out",
    "session.revoke",
    "account.password",
    "account.connect",
    "account.take_over",
    "account.confirm_address",
    "account.org_creation",
    "org.create",
    "org.rename",
    "org.approval",
    "member.add",
    "member.role",
    "member.identity",
    "member.remove",
    "member.leave",
    "invitation.create",
    "invitation.revoke",
    "invitation.accept",
    "invitation.decline",
    "token.issue",
    "token.rotate",
    "token.revoke",
    "token.keep",
    "cluster.report",
    "cluster.delete",
    "config.apply",
    "config.rollback",
    "config.revert",
    "config.confirm",
    "draft.begin",
    "draft.take_over",
    "draft.merge",
    "draft.rebase",
    "draft.discard",
    "review.request",
    "review.comment",
    "review.approve",
    "review.request_changes",
    "review.withdraw",
    "expectation.save",
    "expectation.delete",
    "impact.ask",
    "impact.cancel",
    "notifications.confirm",
    "notifications.update",
    "notifications.test",
    "queue.hold",
    "queue.resume",
    "schedule.create",
    "schedule.move",
    "schedule.cancel",
    "schedule.fail",
    "view.save",
    "view.delete",
    "webhook.create",
    "webhook.update",
    "webhook.pause",
    "webhook.delete",
    "webhook.rotate",
    "webhook.test",
    "webhook.redeliver",
    "workload.submit",
    "workload.finish",
    "workload.withdraw",
    "workload.release",
    "workload.change_priority",
    "workload.deactivate",
    "workload.activate",
    "workload.finish_pods",
    "workload.release_pods",
]

#: All kinds of changed objects.
Kind = Literal[
    "account",
    "cluster",
    "config",
    "draft",
    "expectation",
    "impact",
    "invitation",
    "member",
    "org",
    "queue",
    "review",
    "schedule",
    "token",
    "view",
    "webhook",
    "workload",
]

ACTIONS: Final[tuple[str, ...]] = get_args(Action)
KINDS: Final[tuple[str, ...]] = get_args(Kind)

#: Maximum number of ids in an entry about several objects.
_NAMED = 5

#: Keys that must not appear in an entry.
_SECRETS = frozenset({"password", "secret", "token", "digest", "key"})

Facts = Mapping[str, Any]


def record(
    actor: Actor,
    action: Action,
    *,
    kind: Kind,
    subject: str,
    before: Facts | None = None,
    after: Facts | None = None,
) -> None:
    """
    Record the action *action* of *actor* on *subject*, with the values *before* and *after*.

    Call it inside the transaction of the action, so that action and entry are stored together.
    *before* and *after* are small JSON objects without secrets.
    """
    entry = _entry(actor.org, actor.name, actor.key, action, kind, subject, before, after)
    insert_objects([entry]).run()


def record_many(
    actor: Actor, action: Action, *, kind: Kind, uids: Iterable[str], after: Facts | None = None
) -> None:
    """Write one entry for all *uids*: their number, and the first of them."""
    ids = list(uids)
    facts = {"count": len(ids), "ids": ids[:_NAMED], **(after or {})}
    record(actor, action, kind=kind, subject=ids[0] if len(ids) == 1 else "", after=facts)


def record_person(user: User, action: Action, *, after: Facts | None = None) -> None:
    """Record an action of *user* on their own account, in each of their organizations."""
    key = f"user:{user.pk}"
    AuditEntry.objects.bulk_create(
        _entry(org, user.email, key, action, "account", user.email, None, after)
        for org in Organization.objects.filter(memberships__user=user)
    )


def _entry(
    org: Organization,
    actor: str,
    actor_key: str,
    action: Action,
    kind: Kind,
    subject: str,
    before: Facts | None,
    after: Facts | None,
) -> AuditEntry:
    assert not _SECRETS & {*(before or {}), *(after or {})}, f"{action} would record a secret"
    caller = current_caller()
    return AuditEntry(
        org_id=org.pk,
        action=action,
        kind=kind,
        subject=subject,
        actor=actor,
        actor_key=actor_key,
        before=before,
        after=after,
        ip=caller.ip,
        agent=caller.agent,
        request_id=caller.request_id,
    )
