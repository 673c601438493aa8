"""View that submits workloads: by a form, as pasted JSON, or as a pasted manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.capacity.queries.clusters import offered_resources
from console.dialects.diagnostics import Diagnostic, Severity
from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy
from console.errors import BadRequest, FieldError
from console.logs import bind_workloads
from console.orgs.identities import identity_of
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.forms import SubmitForm, read_pasted, tags_without_a_line
from console.pages.repeated_workload import Repeated, read_repeated
from console.pages.shell import render_page
from console.policies.queries import active_policy, least_priority
from console.workloads.models import Workload
from console.workloads.queries.labels import seen_labels
from console.workloads.queries.workloads import last_of_user
from console.workloads.read_manifest import ManifestRejected, NoManifests, manifest_language
from console.workloads.selection import DONE
from console.workloads.services.end_workloads import may_withdraw, withdraw_each
from console.workloads.services.submit_manifest import submit_manifest
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import RESERVED

#: Resources in the form if the active config has none and does not place workloads on clusters.
USUAL_RESOURCES: Final = ("cpu", "memory_gb", "gpu")

#: Resources in the form if workloads are placed on clusters and none has reported.
USUAL_ON_CLUSTERS: Final = ("cpu", "memory")

#: Maximum number of resources of clusters in the form; others are requested in pod sets.
MOST_RESOURCES: Final = 20

EXAMPLE = """[
  {"name": "train-a",
   "tags": {"team": "research"},
   "requests": {"gpu": 8, "cpu": 64}},
  {"name": "notebook",
   "type": "workspace",
   "requests": {"cpu": 4.5}}
]"""

#: Maximum number of labels in use that the form shows, and of those with the same key.
MOST_TAGS: Final = 12
MOST_OF_KEY: Final = 4

#: Maximum number of findings about an accepted manifest that the next page shows one by one.
MOST_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """A pasted text that was not accepted, and the reasons."""

    text: str = ""
    errors: Sequence[FieldError] = ()
    #: Of a manifest.
    findings: Sequence[Diagnostic] = ()


NOTHING: Final = Pasted()


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form, or submit workloads: all or none; the address may name one to repeat."""
    actor.require(Permission.SUBMIT)
    repeated = read_repeated(request.GET, actor.org)
    policy = active_policy(actor.org)
    on_clusters = load_discipline(policy.discipline).reads_inventory
    new_form = partial(
        SubmitForm,
        resources=policy.spec.resources() or _resources(actor, on_clusters=on_clusters),
        least_priority=partial(least_priority, actor.org),
        takes_placement=on_clusters,
        states_user=actor.may(Permission.SUBMIT_FOR_OTHERS),
        repeated=repeated.submission if repeated is not None else None,
    )
    show = partial(_page, request, actor, policy, repeated)
    if request.method != "POST":
        return show(new_form())
    if "json" in request.POST:
        return _submit_json(request, actor, lambda pasted: show(new_form(), json=pasted))
    if "manifest" in request.POST:
        return _submit_manifest(request, actor, lambda pasted: show(new_form(), manifest=pasted))
    form = new_form(request.POST)
    if not form.is_valid():
        return show(form)
    try:
        old = [repeated.workload.uid] * len(form.submissions) if repeated is not None else []
        made = submit_workloads(actor, form.submissions, resubmitted=old)
    except BadRequest as error:
        form.refuse(error.errors)
        return show(form)
    if repeated is not None and "withdraw" in request.POST:
        (result,) = withdraw_each(actor, [repeated.workload.uid])
        level = messages.INFO if result.outcome in DONE else messages.WARNING
        messages.add_message(request, level, f"{result.name}: {result.message}")
    return _done(request, actor, made)


def _resources(actor: Actor, *, on_clusters: bool) -> Sequence[str]:
    """Return the resources that a form offers under a config without any of its own."""
    if not on_clusters:
        return USUAL_RESOURCES
    return offered_resources(actor.org, MOST_RESOURCES) or USUAL_ON_CLUSTERS


def _submit_json(
    request: HttpRequest, actor: Actor, show: Callable[[Pasted], HttpResponse]
) -> HttpResponse:
    text = request.POST["json"]
    try:
        made = submit_workloads(actor, read_pasted(text, partial(least_priority, actor.org)))
    except BadRequest as error:
        return show(Pasted(text=text, errors=error.errors))
    return _done(request, actor, made)


def _submit_manifest(
    request: HttpRequest, actor: Actor, show: Callable[[Pasted], HttpResponse]
) -> HttpResponse:
    text = request.POST["manifest"]
    try:
        made = submit_manifest(actor, text.encode())
    except ManifestRejected as error:
        return show(Pasted(text=text, findings=error.findings))
    except BadRequest as error:
        return show(Pasted(text=text, errors=error.errors))
    except NoManifests as error:
        return show(Pasted(text=text, errors=[FieldError("", error.code, error.message)]))
    bind_workloads([made.uid])
    _tell(request, made.findings)
    return HttpResponseRedirect(reverse("pages:workload", args=[actor.org.slug, made.uid]))


def _tell(request: HttpRequest, findings: Sequence[Diagnostic]) -> None:
    """Show the findings about an accepted manifest on the next page, warnings first."""
    ordered = sorted(findings, key=lambda each: each.severity is not Severity.WARNING)
    for each in ordered[:MOST_SHOWN]:
        level = messages.WARNING if each.severity is Severity.WARNING else messages.INFO
        place = f"Line {each.span.line}, column {each.span.column} of the manifest"
        messages.add_message(request, level, f"{place}: {each.message} {each.hint}".rstrip())
    if len(ordered) > MOST_SHOWN:
        messages.info(request, f"The manifest has {len(ordered) - MOST_SHOWN} more findings.")


def _done(request: HttpRequest, actor: Actor, made: Sequence[Workload]) -> HttpResponse:
    org = actor.org
    bind_workloads(workload.uid for workload in made)
    if len(made) == 1:
        return HttpResponseRedirect(reverse("pages:workload", args=[org.slug, made[0].uid]))
    messages.success(request, f"{len(made)} workloads are submitted.")
    query = urlencode({"since": made[0].submitted_at.isoformat()})
    return HttpResponseRedirect(f"{reverse('pages:workloads', args=[org.slug])}?{query}")


def _tags(seen: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return labels of the newest workloads that the field for tags takes, some of each key."""
    tags = (
        f"{key}={value}"
        for key, values in seen.items()
        if key not in RESERVED
        for value in values[:MOST_OF_KEY]
    )
    return tuple(islice(tags, MOST_TAGS))


def _page(
    request: HttpRequest,
    actor: Actor,
    policy: Policy,
    repeated: Repeated | None,
    form: SubmitForm,
    *,
    json: Pasted = NOTHING,
    manifest: Pasted = NOTHING,
) -> HttpResponse:
    language = manifest_language(policy)
    own, seen = identity_of(actor), seen_labels(actor.org)
    has_errors = form.errors or json.errors or manifest.errors or manifest.findings
    context = {
        "form": form,
        "repeated": repeated,
        "may_withdraw": repeated is not None and may_withdraw(actor, repeated.workload),
        "lost_tags": tags_without_a_line(repeated.submission.tags) if repeated is not None else (),
        "own": own,
        "last": last_of_user(actor.org, own.user) if own.user and repeated is None else None,
        "seen_tags": _tags(seen),
        "instance_types": seen.get("instance-type", ()),
        "accelerator_types": seen.get("accelerator-type", ()),
        "json": json,
        "manifest": manifest,
        # A text is kept even if the language of the config has changed meanwhile.
        "takes_manifests": language is not None or manifest != NOTHING,
        "manifest_sample": language.job_sample if language is not None else "",
        "example": EXAMPLE,
    }
    return render_page(
        request,
        actor,
        "workloads/new.html",
        context,
        section="workloads",
        status=422 if has_errors else 200,
    )
