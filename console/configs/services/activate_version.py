"""
Create a version and activate it, if the active version is still the expected one.

Apply and roll back share this step. Of two concurrent changes of the same version, one conditional
UPDATE lets one change the row; the other gets an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from console.configs.errors import StaleVersion
from console.configs.models import (
    ActiveConfig,
    ConfigVersion,
    QueueSpec,
    RevertTimer,
    ReviewRequest,
    ScheduledChange,
)
from console.configs.queries import versions_after
from console.configs.services.confirm_config import nothing_to_confirm
from console.configs.services.set_timer import replace_timer
from console.configs.stored_changes import store_changes
from console.configs.temporary_changes import begin_temporary
from console.dialects.base import Reading
from console.dialects.objects import compare_policies
from console.orgs.audit import Action, record
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, active_number, get_version, policy_of
from console.reading import Reader
from console.webhooks.models import Kind
from console.webhooks.outbox import notify_of_config
from console.workloads.models import Event, EventType
from console.workloads.services.change_policy import change_policy

#: Maximum number of characters of a message.
LONGEST_MESSAGE = 500


def read_message(message: str) -> str:
    """Return *message* without surrounding space; raises BadRequest if it cannot be stored."""
    reader = Reader()
    text = reader.text(message, "message", LONGEST_MESSAGE).strip()
    reader.finish()
    return text


def require_active(org: Organization, expected: int) -> None:
    """
    Raise StaleVersion unless version *expected* is the active one.

    Must be called before the fixed queue specs are read: if the conditional UPDATE of
    `activate_version` then succeeds, no other version has fixed a spec in between.
    """
    active = active_number(org)
    if active != expected:
        raise StaleVersion(expected, active, versions_after(org, expected))


def find_unchanged(
    org: Organization, expected: int, dialect: str, text: str
) -> ConfigVersion | None:
    """
    Return version *expected* if it has exactly this *dialect* and *text*, and None otherwise.

    An apply of an equal text would create a version without a change. Comments and layout are
    compared, because a version stores them.
    """
    if not expected:
        return None
    version = get_version(org, expected)
    return version if (version.dialect, version.text) == (dialect, text) else None


def activate_version(
    actor: Actor,
    version: ConfigVersion,
    reading: Reading,
    expected: int,
    revert_after: timedelta | None = None,
    *,
    unless_confirmed: bool = False,
    approval: ReviewRequest | None = None,
    end: ScheduledChange | None = None,
    scheduled: ScheduledChange | None = None,
) -> ConfigVersion:
    """
    Store *version*, whose text was read as *reading*, under the next number and activate it.

    *approval* is recorded. *end*, not stored yet, is scheduled as the end of a temporary change, as
    is the one that was proposed with *approval*; *scheduled* is the scheduled change that makes
    *version*. The revert timer of the previous version is deleted; with
    *revert_after*, *version* gets its own. Raises StaleVersion if *expected* is not the active
    version any more, BadRequest for an *end* that has passed or is later than allowed, and, with
    *unless_confirmed*, Conflict (``nothing_to_confirm``) if *expected* has no timer any more;
    nothing is stored then.
    """
    org = actor.org
    before = policy_of(get_version(org, expected)) if expected else NO_POLICY
    changes = compare_policies(before, reading.policy or NO_POLICY)
    with transaction.atomic():
        newest = ConfigVersion.objects.filter(org=org).aggregate(newest=Max("number"))["newest"]
        version.number = (newest or 0) + 1
        claimed = ActiveConfig.objects.filter(org=org, number=expected).update(
            number=version.number, changed_at=timezone.now()
        )
        if not claimed:
            raise StaleVersion(expected, active_number(org), versions_after(org, expected))
        # A confirmation locks the active version first. So it has finished by now, or fails.
        waits = RevertTimer.objects.filter(org=org, version=expected)
        if unless_confirmed and not waits.exists():
            raise nothing_to_confirm(expected)
        version.save(force_insert=True)
        store_changes(version, changes)
        _fix_queue_specs(version, reading)
        timer = replace_timer(version, expected, revert_after)
        facts: dict[str, object] = {"reverts_at": timer.due_at.isoformat()} if timer else {}
        if begun := begin_temporary(version, end, approval):
            facts |= {"until": begun.due_at.isoformat(), "temporary": begun.pk}
        if scheduled:
            facts |= _facts_of(scheduled)
        _record_activation(actor, version, expected, facts, approval, is_revert=unless_confirmed)
        change_policy(actor, version.number, before, reading.policy or NO_POLICY)
    return version


def _fix_queue_specs(version: ConfigVersion, reading: Reading) -> None:
    known = set(QueueSpec.objects.filter(org=version.org).values_list("name", flat=True))
    QueueSpec.objects.bulk_create(
        QueueSpec(org=version.org, name=name, spec=spec, version=version.number)
        for name, spec in reading.queue_specs.items()
        if name not in known
    )


def _facts_of(scheduled: ScheduledChange) -> dict[str, object]:
    facts: dict[str, object] = {"scheduled": scheduled.pk}
    if scheduled.begun_by is not None:
        facts["ends"] = scheduled.begun_by
    return facts


def _record_activation(
    actor: Actor,
    version: ConfigVersion,
    before: int,
    facts: Mapping[str, object],
    approval: ReviewRequest | None,
    *,
    is_revert: bool,
) -> None:
    data = {
        "version": version.number,
        "from": before,
        "kind": version.kind,
        "message": version.message,
        "via": version.via,
        "accepted": [each["code"] for each in version.consequences if each["accepted"]],
    }
    if version.rolled_back_to:
        data["back_to"] = version.rolled_back_to
    data |= facts
    if approval:
        data |= {"request": approval.pk, "approved_by": approval.decided_by}
    elif actor.org.approval_required:
        data["approved_by"] = None
    Event.objects.create(org=actor.org, type=EventType.CONFIG_UPDATED, actor=actor.name, data=data)
    action: Action = "config.apply"
    kind = Kind.APPLIED
    if is_revert or version.via == ConfigVersion.Via.TIMER:
        action, kind = "config.revert", Kind.REVERTED
    elif version.kind == ConfigVersion.Kind.ROLLBACK:
        action = "config.rollback"
    record(
        actor,
        action,
        kind="config",
        subject=str(version.number),
        before={"version": before},
        after=data,
    )
    notify_of_config(actor.org, kind, data, version.author)
