"""Submit the workload that a manifest describes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from console.dialects.diagnostics import Diagnostic
from console.engine.model.policy import Policy
from console.errors import ConsoleError
from console.orgs.permissions import Actor, Permission
from console.policies.queries import active_policy
from console.workloads.read_manifest import read_manifest
from console.workloads.services.answer_once import answer_once
from console.workloads.services.submit_workloads import prepare, submit_workloads, write


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedManifest:
    """The id of the workload, and the warnings and notes about its manifest."""

    uid: str
    findings: tuple[Diagnostic, ...]


def submit_manifest(actor: Actor, text: bytes, key: str | None = None) -> SubmittedManifest:
    """
    Submit the workload of the manifest *text*, in the language of the active config.

    With *key*, an idempotency key, a repeated manifest returns the workload of the first request,
    also if the config has changed since. Raises NotAllowed, NoManifests, ManifestRejected,
    BadRequest and Conflict.
    """
    actor.require(Permission.SUBMIT)
    policy = active_policy(actor.org)

    def begin() -> tuple[dict[str, Any], Callable[[], None]]:
        batch = prepare(actor, [read_manifest(policy, text).submission])
        return {"ids": [workload.uid for workload in batch.workloads]}, partial(write, batch)

    if key is None:
        manifest = read_manifest(policy, text)
        (uid,) = (each.uid for each in submit_workloads(actor, [manifest.submission]))
        return SubmittedManifest(uid=uid, findings=manifest.findings)
    content = {"manifest": hashlib.sha256(text).hexdigest()}
    (uid,) = answer_once(actor, key, content, begin)["ids"]
    return SubmittedManifest(uid=uid, findings=_findings(policy, text))


def _findings(policy: Policy, text: bytes) -> tuple[Diagnostic, ...]:
    """Return the findings of an accepted manifest; none if the present config refuses it."""
    try:
        return read_manifest(policy, text).findings
    except ConsoleError:
        return ()
