"""View of a preemption's receipt."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.as_text import is_markdown_requested, markdown_answer
from console.pages.presenters.lists.tallies import kept_since
from console.pages.presenters.workloads.preemption_receipt import receipt_markdown, receipt_page
from console.pages.shell import render_page
from console.workloads.markdown import Links
from console.workloads.queries import get_workload
from console.workloads.receipts import get_receipt


@org_page
@require_safe
def preemption(request: HttpRequest, actor: Actor, uid: str, number: int) -> HttpResponse:
    """Show the receipt of one preemption, for a reader of workload *uid*, one of its sides."""
    subject = get_workload(actor.org, uid)
    receipt = get_receipt(actor, subject, number)
    page = receipt_page(receipt, kept_since(settings.EVENT_RETENTION_DAYS))
    links = Links(request.build_absolute_uri("/"), actor.org.slug)
    text = receipt_markdown(receipt, page, links.to("preemption", uid, number), links)
    if is_markdown_requested(request):
        return markdown_answer(text)
    context = {
        "workload": subject,
        "receipt": page,
        "copy_text": text,
        "markdown_url": f"{request.path}?as=markdown",
    }
    return render_page(request, actor, "workloads/preemption.html", context, section="workloads")
