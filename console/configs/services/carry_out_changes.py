"""Carry out scheduled changes at their time, each at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.configs.errors import (
    ApprovalRequired,
    ConfigRejected,
    ConsequencesNotAccepted,
    StaleVersion,
)
from console.configs.models import ConfigVersion, Draft, ReviewRequest, ScheduledChange
from console.configs.queries import get_scheduled, revert_timer_of
from console.configs.services.activate_version import (
    LONGEST_MESSAGE,
    activate_version,
    find_unchanged,
)
from console.configs.services.check_config import check_config
from console.configs.services.confirm_config import lock_active, mark_changed
from console.configs.services.consequences import accept_consequences
from console.configs.services.merge_draft import merge_of
from console.configs.services.propose_numbers import (
    NumberChange,
    numbers_of,
    propose_numbers,
)
from console.configs.services.require_approval import require_approval
from console.configs.temporary_changes import key_of
from console.dialects.base import Reading
from console.dialects.editable_numbers import ObjectKey
from console.dialects.merging import Verdict
from console.errors import BadRequest, Conflict
from console.orgs.audit import record
from console.orgs.models import ApiToken, Membership, Organization, Role
from console.orgs.permissions import GRANTS, Actor, Permission
from console.policies.queries import active_number, get_version
from console.policies.renames import new_name_of
from console.webhooks.models import Kind
from console.webhooks.outbox import notify_of_config
from console.workloads.models import Event, EventType, Level

#: Delay before the next attempt, after an error that is a fault of the product.
_AGAIN: Final = timedelta(minutes=1)

#: Maximum number of rotations of a token that are followed.
_MOST_ROTATIONS: Final = 100

_State = ScheduledChange.State

log = structlog.get_logger("console.configs")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """The version that a scheduled change makes on top of the active one; not stored yet."""

    version: ConfigVersion
    reading: Reading
    active: int
    approval: ReviewRequest | None = None


class _NotMade(Exception):
    """The change makes no version; *state* is its last one."""

    def __init__(self, state: ScheduledChange.State, problem: str) -> None:
        super().__init__(problem)
        self.state = state
        self.problem = problem


def carry_out_due() -> int:
    """
    Carry out the scheduled changes whose time has come, and return the number of versions made.

    Concurrent runs, cancellations and applies are safe: the transaction that ends the row of the
    change, under the lock of the active version, also stores the version. While the active version
    waits for confirmation, the changes of its organization wait too.
    """
    due = ScheduledChange.objects.filter(state=_State.SCHEDULED, try_at__lte=timezone.now())
    made = 0
    # Of two changes at the same time, the later one ends first: see `check_order`.
    for change in due.select_related("org").order_by("due_at", "-id"):
        if revert_timer_of(change.org) is not None:
            continue
        try:
            made += _carry_out(change)
        except Exception:
            # The change is tried again later, and does not block others until then.
            _scheduled(change).update(try_at=timezone.now() + _AGAIN)
            raise
    return made


def carry_out_now(actor: Actor, number: int) -> ConfigVersion:
    """
    Carry out scheduled change *number* before its time, and return the version.

    Raises NotAllowed, NotFound, and Conflict: ``change_ended``, ``version_unconfirmed`` while the
    active version waits for confirmation, ``not_carried_out`` with the problem; the change then
    stays scheduled. StaleVersion is raised if another version is applied at the same time.
    """
    actor.require(Permission.APPLY)
    change = get_scheduled(actor.org, number)
    require_scheduled(change)
    timer = revert_timer_of(actor.org)
    if timer is not None:
        raise Conflict(
            "version_unconfirmed",
            f"Version {timer.version} waits for confirmation. Confirm it or roll it back first.",
        )
    try:
        made = _make(change, change.org)
    except _NotMade as error:
        raise Conflict("not_carried_out", error.problem) from error
    if not _store(change, made, by=actor):
        raise change_ended(change)
    return made.version


def require_scheduled(change: ScheduledChange) -> None:
    """Raise Conflict (``change_ended``) unless *change* is still to come."""
    if change.state != _State.SCHEDULED:
        raise change_ended(change)


def change_ended(change: ScheduledChange) -> Conflict:
    """Return the error for a *change* that is not to come any more, or not yet."""
    if change.state == _State.PROPOSED:
        message = (
            f"Scheduled change {change.pk} has no version yet: its text waits for approval. "
            "Withdraw the review request to cancel it."
        )
        return Conflict("change_proposed", message)
    return Conflict(
        "change_ended",
        f"Scheduled change {change.pk} was carried out, canceled or given up already.",
    )


def _carry_out(change: ScheduledChange) -> bool:
    """Make the version of *change*, or end it with its problem; return whether it was made."""
    try:
        made = _make(change, change.org)
        if not _store(change, made, by=None):
            return False
    except _NotMade as error:
        _give_up(change, error)
        return False
    except StaleVersion:
        # Another version was applied meanwhile: the next sweep starts from that one.
        return False
    log.info("scheduled change made", org=change.org.slug, version=made.version.number)
    return True


def _make(change: ScheduledChange, org: Organization) -> _Made:
    make: Mapping[str, Callable[[Actor, ScheduledChange, int], _Made]] = {
        ScheduledChange.Kind.APPLY: _apply,
        ScheduledChange.Kind.END: _end,
    }
    actor = Actor(org=org, role=Role.OWNER, name=change.author, key="schedule")
    try:
        return make[change.kind](actor, change, active_number(org))
    except ConfigRejected as error:
        first = error.reading.errors[0].message
        problem = f"The config would have errors. First error: {first}"
        raise _NotMade(_State.FAILED, problem) from error
    except BadRequest as error:
        problem = " ".join(each.message for each in error.errors)
        raise _NotMade(_State.FAILED, problem) from error
    except ApprovalRequired as error:
        problem = (
            "The text has no approval on the active version. Submit it for review, and schedule "
            "the approved text."
        )
        raise _NotMade(_State.FAILED, problem) from error
    except ConsequencesNotAccepted as error:
        missing = "; ".join(
            each.message for each in error.consequences if each.code in error.missing
        )
        problem = f"The apply would have consequences that were not accepted: {missing}"
        raise _NotMade(_State.FAILED, problem) from error


def _store(change: ScheduledChange, made: _Made, *, by: Actor | None) -> bool:
    """Store *made* and end *change* in one transaction; return whether it was still scheduled."""
    org = change.org
    actor = by or Actor(org=org, role=Role.OWNER, name=change.author, key="schedule")
    with transaction.atomic():
        # An apply takes this lock first too.
        if not lock_active(org, made.active):
            return _raise_stale(org, made.active)
        ended = (
            _scheduled(change)
            .filter(due_at=change.due_at)
            .update(state=_State.DONE, ended_at=timezone.now(), ended_by=by.name if by else "")
        )
        if not ended:
            return False
        activate_version(
            actor,
            made.version,
            made.reading,
            made.active,
            approval=made.approval,
            scheduled=change,
        )
        ScheduledChange.objects.filter(pk=change.pk).update(version=made.version.number)
        if change.draft_id is not None:
            applied = Draft.objects.filter(pk=change.draft_id, text=change.text)
            applied.filter(dialect=change.dialect).delete()
    return True


def _raise_stale(org: Organization, expected: int) -> bool:
    raise StaleVersion(expected, active_number(org), ())


def _apply(actor: Actor, change: ScheduledChange, active: int) -> _Made:
    """Return the version of a scheduled apply."""
    _require_author(change)
    text = change.text
    if active != change.base:
        text = _merged(actor, change, active)
    reading = check_config(actor, change.dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    if find_unchanged(actor.org, active, change.dialect, text):
        raise _NotMade(_State.SUPERSEDED, f"Version {active} has this text already.")
    approval = require_approval(actor, change.dialect, text, active)
    version = ConfigVersion(
        org=actor.org,
        dialect=change.dialect,
        text=text,
        message=change.message,
        author=change.author,
        via=ConfigVersion.Via.SCHEDULE,
        consequences=accept_consequences(actor, change.dialect, text, change.accept),
    )
    return _Made(version=version, reading=reading, active=active, approval=approval)


def _merged(actor: Actor, change: ScheduledChange, active: int) -> str:
    """Return the text of *change* merged with version *active*, if that is safe."""
    if actor.org.approval_required:
        problem = (
            f"Version {active} was applied after the text was approved for version {change.base}. "
            "Merge the draft with it, and submit the result for review."
        )
        raise _NotMade(_State.FAILED, problem)
    draft = Draft(org=change.org, dialect=change.dialect, text=change.text, base=change.base)
    merge = merge_of(draft, get_version(actor.org, active))
    if merge is None or merge.verdict is not Verdict.SAFE:
        problem = (
            f"Version {active} was applied after version {change.base}, on which the text is "
            "based, and the two cannot be merged safely. Merge the text with it, and apply or "
            "schedule the result."
        )
        raise _NotMade(_State.FAILED, problem)
    return merge.resolved([])


def _require_author(change: ScheduledChange) -> None:
    """Raise _NotMade if the author of *change* may not apply configs any more."""
    if not _may_apply(change.org, change.author_key):
        problem = (
            f"{change.author} may not apply configs any more. An owner can apply the text, or "
            "schedule it again."
        )
        raise _NotMade(_State.FAILED, problem)


def _may_apply(org: Organization, key: str) -> bool:
    kind, _, number = key.partition(":")
    match kind:
        case "user":
            member = Membership.objects.filter(org=org, user=int(number), user__is_active=True)
            role = member.values_list("role", flat=True).first()
        case "token":
            role = _role_of_token(org, int(number))
        case _:
            return True
    return role is not None and Permission.APPLY in GRANTS[role]


def _role_of_token(org: Organization, number: int) -> str | None:
    """Return the role of a token, or of the one that replaces it; None if it was revoked."""
    token = ApiToken.objects.filter(org=org, pk=number).first()
    for _ in range(_MOST_ROTATIONS):
        if token is None or token.successor is None:
            break
        token = token.successor
    return token.role if token is not None and token.revoked_at is None else None


def _end(actor: Actor, change: ScheduledChange, active: int) -> _Made:
    """Return the version that sets the numbers of a temporary change back."""
    owner = _owner_now(actor, change, active)
    begun, problem = f"version {change.begun_by}", ""
    found = {number.key: number.written for number in numbers_of(actor, owner, active)}
    if not found:
        problem = (
            f"Version {active} has no {owner.kind} {owner.name} with numbers that can be set back."
        )
    elif all(found.get(key_of(each)) == each["before"] for each in change.numbers):
        problem = f"The numbers have the values from before {begun} already."
    else:
        changed = [
            f"{_words(each)} is {found.get(key_of(each)) or 'not stated'}, not {each['after']}"
            for each in change.numbers
            if found.get(key_of(each)) != each["after"]
        ]
        if changed:
            problem = (
                f"The numbers of {owner.kind} {owner.name} were changed after {begun}: "
                f"{'; '.join(changed)}. Nothing was set back: check the quota, and change it by "
                "hand if it should be lower."
            )
    if problem:
        raise _NotMade(_State.SUPERSEDED, problem)
    back = [NumberChange(key=key_of(each), value=each["before"]) for each in change.numbers]
    proposal = propose_numbers(actor, owner, back, active)
    message = f"End of the temporary change of {begun}"
    if change.message:
        message = f"{message}: {change.message}"
    version = ConfigVersion(
        org=actor.org,
        dialect=proposal.dialect,
        text=proposal.text,
        message=message[:LONGEST_MESSAGE],
        author=change.author,
        via=ConfigVersion.Via.SCHEDULE,
        consequences=accept_consequences(actor, proposal.dialect, proposal.text, None),
    )
    return _Made(version=version, reading=proposal.reading, active=active)


def _owner_now(actor: Actor, change: ScheduledChange, active: int) -> ObjectKey:
    """Return the object of a temporary change under its current name."""
    owner = ObjectKey(change.owner_kind, change.owner_name)
    if numbers_of(actor, owner, active):
        return owner
    renamed = new_name_of(actor.org, owner.name, owner.kind)
    return ObjectKey(owner.kind, renamed[0]) if renamed else owner


def _words(number: Mapping[str, str]) -> str:
    resource = f" of {number['resource']}" if number["resource"] else ""
    flavor = f" in {number['flavor']}" if number["flavor"] else ""
    return f"{number['title']}{resource}{flavor}"


def _give_up(change: ScheduledChange, error: _NotMade) -> None:
    """End *change* without a version, and report its problem once."""
    org, now = change.org, timezone.now()
    data: dict[str, object] = {
        "version": active_number(org),
        "from": active_number(org),
        "kind": f"schedule_{error.state.value}",
        "scheduled": change.pk,
        "change": change.kind,
        "problem": error.problem,
    }
    if change.begun_by is not None:
        data["ends"] = change.begun_by
    with transaction.atomic():
        ended = (
            _scheduled(change)
            .filter(due_at=change.due_at)
            .update(state=error.state, ended_at=now, problem=error.problem)
        )
        if not ended:
            return
        mark_changed(org)
        is_failure = error.state == _State.FAILED
        Event.objects.create(
            org=org,
            type=EventType.CONFIG_UPDATED,
            level=Level.ERROR if is_failure else Level.WARNING,
            actor=change.author,
            data=data,
        )
        record(
            Actor(org=org, role=Role.OWNER, name=change.author, key="schedule"),
            "schedule.fail",
            kind="schedule",
            subject=str(change.pk),
            before={"state": _State.SCHEDULED.value},
            after={"state": error.state.value, "problem": error.problem},
        )
        notify_of_config(org, Kind.CHANGE_FAILED, data, change.author)
    log.warning("scheduled change not made", org=org.slug, change=change.pk, why=error.problem)


def _scheduled(change: ScheduledChange) -> QuerySet[ScheduledChange]:
    return ScheduledChange.objects.filter(pk=change.pk, state=_State.SCHEDULED)
