"""
Deliveries for the decisions of one batch of the engine.

A workload that cannot run is reported once: when its decision says so, or, for workloads that
waited before, when their class becomes unable to run. Reported classes are stored in rows until
they can run again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from console.chunks import chunks
from console.dialects.objects import current_queue
from console.engine.explain.hidden_names import hidden_name
from console.engine.live.dirty_set import DirtySet
from console.engine.model.common_reasons import WAITING_FOR_PREEMPTED
from console.engine.model.decision import Decision, Outcome
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason, Shortage
from console.engine.model.trace import Trace
from console.engine.pending.pending_class import PendingClass
from console.engine.state import State
from console.engine.wording.reasons import reason_title
from console.orgs.identities import identity_of_member
from console.orgs.models import Organization
from console.webhooks.models import Kind, ToldClass, Webhook
from console.webhooks.outbox import active_webhooks, write_deliveries
from console.webhooks.payloads import LISTED, Message, workload_url, workloads_message
from console.workloads.models import Workload
from console.workloads.services.batch import Batch
from console.workloads.services.batch_observers import DecidedBatch, Writes
from console.workloads.services.quota_events import preemptor_queue

_KINDS = {
    Outcome.ADMITTED: Kind.ADMITTED,
    Outcome.REJECTED: Kind.REJECTED,
    Outcome.PREEMPTED: Kind.PREEMPTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """The same outcome of *count* workloads with *uids*."""

    kind: Kind
    uids: tuple[str, ...]
    count: int
    reason: Reason
    queue: str | None
    priority: int | None
    rule: int | None = None
    preemptor: str | None = None
    preemptor_queue: str | None = None


@dataclass(slots=True)
class Notices:
    """The deliveries of a batch, to be written in its transaction."""

    batch: Batch
    org: Organization
    messages: list[tuple[Webhook, str, Message]] = field(default_factory=list)
    #: Keys of classes that cannot run since this batch, and of those that can run again.
    new_classes: list[str] = field(default_factory=list)
    gone_classes: list[str] = field(default_factory=list)

    def write(self) -> None:
        """Write the deliveries; call it inside the transaction that writes the decisions."""
        if self.messages:
            write_deliveries(self.org, self.messages, self.batch.now)
        for keys in chunks(self.gone_classes):
            ToldClass.objects.filter(org=self.org, key__in=keys).delete()
        if self.new_classes:
            rows = [ToldClass(org=self.org, key=key) for key in self.new_classes]
            ToldClass.objects.bulk_create(rows, ignore_conflicts=True)


def notify_of_batch(decided: DecidedBatch) -> Writes:
    """
    Return the deliveries for a batch; without webhooks, this costs one small query.

    Call it before the rows of the batch are written, because it compares them with the stored
    rows.
    """
    return Writes(finish=_notices(decided).write)


def _notices(decided: DecidedBatch) -> Notices:
    org, batch = decided.org, decided.batch
    notices = Notices(batch, org)
    webhooks = active_webhooks(org)
    wanted = {kind for webhook in webhooks for kind in webhook.kinds}
    if not wanted:
        return notices
    facts = [
        replace(_of_decision(_KINDS[each.outcome], each), preemptor_queue=preemptor_queue(trace))
        for each, trace in _ended(batch, wanted)
    ]
    if Kind.CANNOT_RUN in wanted:
        facts += _cannot_run(notices, decided.state, decided.changes)
    if facts:
        policy = decided.state.policy
        notices.messages = list(_messages(org, batch, policy, webhooks, facts))
    return notices


def _ended(batch: Batch, wanted: set[str]) -> Iterator[tuple[Decision, Trace]]:
    """Yield admissions, rejections and preemptions, where a receiver has selected them."""
    for decision, trace, _ in batch.decisions:
        kind = _KINDS.get(decision.outcome)
        if kind is not None and kind in wanted:
            yield decision, trace


def _of_decision(kind: Kind, decision: Decision) -> _Fact:
    return _Fact(
        kind=kind,
        uids=(decision.workload,),
        count=1,
        reason=decision.reason,
        queue=decision.queue,
        priority=decision.priority,
        rule=decision.rule,
        preemptor=decision.preemptor,
    )


def _cannot_run(notices: Notices, state: State, changes: DirtySet) -> Iterator[_Fact]:
    """Yield workloads that cannot run since this batch, and record their classes."""
    said = {
        decision.workload: decision
        for decision, *_ in notices.batch.decisions
        if decision.outcome is Outcome.PENDING
    }
    never = [each for each in said.values() if each.reason.cannot_run]
    keys = {key for _, key in changes.classes} | {each.pending_class or "" for each in never}
    told = set(_present_keys(notices.org, keys))
    for decision in _unreported(never, told):
        yield _of_decision(Kind.CANNOT_RUN, decision)
    for queue, key in sorted(changes.classes):
        cls = state.pending_class(queue, key)
        if cls is None or (cls.verdict is not None and _fits(cls.verdict.reason)):
            if key in told:
                notices.gone_classes.append(key)
        elif cls.verdict is not None and cls.cannot_run and key not in told:
            notices.new_classes.append(key)
            yield from _of_class(cls, cls.verdict.reason, said)


def _fits(reason: Reason) -> bool:
    """Return whether *reason* shows that a class fits once quota is free."""
    return reason.shortage is Shortage.NOW or reason is WAITING_FOR_PREEMPTED


def _of_class(cls: PendingClass, reason: Reason, said: Mapping[str, Decision]) -> Iterator[_Fact]:
    """Yield the members of a class without a decision in the batch."""
    uids = [
        each.workload.id
        for each in cls
        if each.workload.id not in said and each.workload.sequence not in cls.unannounced
    ]
    if uids:
        yield _Fact(
            kind=Kind.CANNOT_RUN,
            uids=tuple(uids),
            count=len(uids),
            reason=reason,
            queue=cls.queue,
            priority=cls.priority,
        )


def _unreported(never: list[Decision], told: set[str]) -> Iterator[Decision]:
    """Yield the decisions that add to the stored reason of a workload and of its class."""
    rows: dict[str, tuple[str | None, str]] = {}
    for uids in chunks([each.workload for each in never]):
        found = Workload.objects.filter(uid__in=uids)
        for uid, key, reason in found.values_list("uid", "pending_class", "reason"):
            rows[uid] = (key, reason)
    for decision in never:
        key, reason = rows[decision.workload]
        is_same_place = key == decision.pending_class
        was_said = key in told if key else reason == decision.reason
        if not (is_same_place and was_said):
            yield decision


def _present_keys(org: Organization, keys: Iterable[str]) -> Iterator[str]:
    for some in chunks(sorted(keys)):
        yield from ToldClass.objects.filter(org=org, key__in=some).values_list("key", flat=True)


def _messages(
    org: Organization,
    batch: Batch,
    policy: Policy,
    webhooks: Iterable[Webhook],
    facts: Iterable[_Fact],
) -> Iterator[tuple[Webhook, str, Message]]:
    """
    Yield a message for each webhook and kind; webhooks with the same filters share it.

    A filter by a queue follows the queue to the name under which *policy* continues it.
    """
    by_kind: dict[Kind, list[_Fact]] = defaultdict(list)
    for fact in facts:
        by_kind[fact.kind].append(fact)
    hooks = [each for each in webhooks if each.member is None]
    yield from _member_messages(org, batch, policy, [*webhooks], by_kind)
    for kind, of_kind in by_kind.items():
        made: dict[tuple[str, ...], Message | None] = {}
        for webhook in hooks:
            if kind not in webhook.kinds:
                continue
            queues = _Queues(policy, webhook.queues)
            if queues.names not in made:
                asked = [each for each in of_kind if queues.has(each.queue)]
                made[queues.names] = _message(org, kind, batch, asked, queues) if asked else None
            message = made[queues.names]
            if message is not None:
                yield webhook, kind.value, message


def _member_messages(
    org: Organization,
    batch: Batch,
    policy: Policy,
    webhooks: list[Webhook],
    by_kind: Mapping[Kind, list[_Fact]],
) -> Iterator[tuple[Webhook, str, Message]]:
    """Yield a message for each member and kind, about workloads of the member's user alone."""
    members: dict[str, list[Webhook]] = defaultdict(list)
    for each in webhooks:
        user = identity_of_member(each.member, each.member.user).user if each.member else ""
        if user:
            members[user].append(each)
    if not members:
        return
    uids = {uid for facts in by_kind.values() for fact in facts for uid in fact.uids}
    owners = dict(_owners(org, uids, set(members)))
    for kind, facts in by_kind.items():
        own: dict[str, list[_Fact]] = defaultdict(list)
        for fact in facts:
            for user, some in _by_owner(fact.uids, owners).items():
                # Names of other workloads are left to pages, which know what a role may read.
                alone = replace(fact, uids=some, count=len(some), preemptor=None)
                own[user].append(alone)
        for user, of_user in own.items():
            receivers = [each for each in members[user] if kind in each.kinds]
            if receivers:
                message = _message(org, kind, batch, of_user, _Queues(policy, ()))
                yield from ((each, kind.value, message) for each in receivers)


def _owners(org: Organization, uids: set[str], users: set[str]) -> Iterator[tuple[str, str]]:
    """Yield uid and user of those workloads in *uids* that belong to one of *users*."""
    for some in chunks(sorted(uids)):
        rows = Workload.objects.filter(org=org, uid__in=some).values_list("uid", "user")
        yield from ((uid, user) for uid, user in rows if user in users)


def _by_owner(uids: Iterable[str], owners: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for uid in uids:
        if uid in owners:
            found[owners[uid]].append(uid)
    return {user: tuple(some) for user, some in found.items()}


class _Queues:
    """The filter of a webhook by queues."""

    def __init__(self, policy: Policy, names: Iterable[str]) -> None:
        self._policy = policy
        #: The present names of the queues; empty for all workloads.
        self.names = tuple(sorted({current_queue(policy, name) for name in names}))

    def has(self, queue: str | None) -> bool:
        """Return whether workloads of *queue*, which may have a successor, are reported."""
        if not self.names:
            return True
        return queue is not None and current_queue(self._policy, queue) in self.names


def _message(
    org: Organization, kind: Kind, batch: Batch, facts: list[_Fact], queues: _Queues
) -> Message:
    reasons: Counter[str] = Counter()
    for fact in facts:
        reasons[fact.reason] += fact.count
    pairs = list(islice(((uid, fact) for fact in facts for uid in fact.uids), LISTED))
    uids = {uid for uid, _ in pairs} | {fact.preemptor for _, fact in pairs if fact.preemptor}
    rows = Workload.objects.filter(uid__in=uids)
    known = {row["uid"]: row for row in rows.values("uid", "name", "type", "user", "project")}
    listed = [_listed(org, batch, uid, fact, known, queues) for uid, fact in pairs]
    return workloads_message(org, kind, batch.now, listed, reasons)


def _listed(
    org: Organization,
    batch: Batch,
    uid: str,
    fact: _Fact,
    known: Mapping[str, Mapping[str, Any]],
    queues: _Queues,
) -> dict[str, Any]:
    row = known[uid]
    return {
        "id": uid,
        "name": row["name"],
        "type": row["type"],
        "user": row["user"],
        "project": row["project"],
        "queue": fact.queue,
        "priority": fact.priority,
        "reason": {"code": fact.reason, "message": reason_title(fact.reason)},
        "config_version": batch.config_version,
        "rule_index": fact.rule,
        "preemptor": _preemptor(fact, known, queues),
        "url": workload_url(org, uid),
    }


def _preemptor(
    fact: _Fact, known: Mapping[str, Mapping[str, Any]], queues: _Queues
) -> dict[str, str | None] | None:
    """Return the preemptor, by name if the webhook also covers its queue."""
    if fact.preemptor is None:
        return None
    if not queues.has(fact.preemptor_queue):
        return {"id": None, "name": hidden_name(fact.preemptor_queue)}
    return {"id": fact.preemptor, "name": known[fact.preemptor]["name"]}
