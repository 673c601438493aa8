"""What the forms that write the config have in common: apply, submit for review, or a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted
from console.configs.models import ConfigVersion, ReviewRequest
from console.configs.services.begin_draft import begin_draft
from console.configs.services.request_review import request_review
from console.errors import BadRequest, Conflict
from console.orgs.permissions import Actor
from console.pages.review_form import ReviewForm
from console.pages.views.review_requests import to_request

_APPLY: Final = "apply"
_DRAFT: Final = "draft"


class Proposal(Protocol):
    """A config text that a form wrote."""

    @property
    def dialect(self) -> str:
        """The language of the text."""

    @property
    def text(self) -> str:
        """The text, which has no errors."""


P = TypeVar("P", bound=Proposal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[P]):
    """The change of a sent form."""

    propose: Callable[[], P]
    #: Applies the change; returns the active version, which is the old one without a difference.
    apply: Callable[[], tuple[ConfigVersion, P]]
    #: The title of a review request or draft whose message is empty.
    title: str
    #: The message if nothing is different.
    unchanged: str
    #: The address of the page after an apply.
    page: Callable[[P], str]
    #: Submits the change for approval under a title; None: the proposed text is submitted.
    submit: Callable[[str], ReviewRequest] | None = None
    #: What a draft of the change lacks, which the page of the draft says; "" if nothing.
    draft_lacks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a sent form changed nothing: its page is shown again, with this status."""

    status: int
    notices: tuple[str, ...] = ()
    #: The error with the messages for fields.
    error: BadRequest | ConfigRejected | None = None
    #: Whether consequences were not accepted.
    lacks_consent: bool = False


def is_final(request: HttpRequest) -> bool:
    """Return whether the form is sent to change something; otherwise, it is previewed."""
    return request.POST.get("do") in (_APPLY, _DRAFT)


def send_change(
    request: HttpRequest, actor: Actor, review: ReviewForm, change: Change[P]
) -> HttpResponse | Refusal:
    """Apply *change*, submit it for approval if the organization requires it, or make a draft."""
    expected = review.expected_version
    title = review.message.strip() or change.title
    try:
        if request.POST.get("do") == _DRAFT:
            draft = change.propose()
            begun = begin_draft(actor, draft.dialect, draft.text, expected, title)
            if change.draft_lacks:
                messages.warning(request, change.draft_lacks)
            page = reverse("pages:config-draft", args=[actor.org.slug, begun.pk])
            return HttpResponseRedirect(page)
        if actor.org.approval_required:
            if change.submit is not None:
                return to_request(actor, change.submit(title))
            asked = change.propose()
            review_request = request_review(actor, asked.dialect, asked.text, expected, title)
            return to_request(actor, review_request)
        version, proposal = change.apply()
    except (BadRequest, ConfigRejected) as error:
        return Refusal(status=422, error=error)
    except ConsequencesNotAccepted:
        return Refusal(status=422, lacks_consent=True)
    except Conflict as error:
        return Refusal(status=409, notices=(error.message,))
    if version.number == expected:
        return Refusal(status=422, notices=(change.unchanged,))
    messages.success(request, f"Version {version.number} is active.")
    return HttpResponseRedirect(change.page(proposal))
