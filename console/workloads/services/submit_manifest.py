"""Submit the workload that a manifest describes."""

from __future__ import annotations

from dataclasses import dataclass

from console.dialects.diagnostics import Diagnostic
from console.orgs.permissions import Actor, Permission
from console.policies.queries import active_policy
from console.workloads.read_manifest import read_manifest
from console.workloads.services.submit_once import submit_once
from console.workloads.services.submit_workloads import submit_workloads


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedManifest:
    """The id of the workload, and the warnings and notes about its manifest."""

    uid: str
    findings: tuple[Diagnostic, ...]


def submit_manifest(actor: Actor, text: bytes, key: str | None = None) -> SubmittedManifest:
    """
    Submit the workload of the manifest *text*, in the language of the active config.

    With *key*, an idempotency key, a repeated manifest returns the workload of the first request.
    Raises NotAllowed, NoManifests, ManifestRejected, BadRequest and Conflict.
    """
    actor.require(Permission.SUBMIT)
    manifest = read_manifest(active_policy(actor.org), text)
    if key is None:
        (uid,) = (each.uid for each in submit_workloads(actor, [manifest.submission]))
    else:
        (uid,) = submit_once(actor, key, [manifest.submission])
    return SubmittedManifest(uid=uid, findings=manifest.findings)
