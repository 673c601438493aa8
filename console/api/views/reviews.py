"""Review requests: submit texts for approval, comment on them, approve them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.reviews import full_review_answer, review_answer
from console.api.base import PAGING, OrgView, results
from console.api.config_text import REJECTED, read_config
from console.api.schemas import reviews as schemas
from console.api.schemas.common import PAGED, example, problems
from console.api.views.configs import STALE
from console.configs.models import ReviewComment, ReviewRequest
from console.configs.queries import comments_of, get_review, list_reviews
from console.configs.services.begin_draft import LONGEST_TITLE
from console.configs.services.decide_review import LONGEST_COMMENT, decide_review
from console.configs.services.request_review import request_review
from console.configs.services.withdraw_review import withdraw_review
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.orgs.services.set_approval import set_approval

_TAG = ["config"]


class Reviews(OrgView):
    """Review requests of the organization."""

    parameters = PAGING
    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="list_reviews",
        summary="List review requests",
        description="Newest first, without texts.",
        parameters=PAGED,
        responses={200: schemas.ReviewPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List review requests."""
        page = list_reviews(self.actor.org, self.limit(request), request.query_params.get("cursor"))
        return results([review_answer(each) for each in page.results], page.next)

    @extend_schema(
        operation_id="request_review",
        summary="Submit a config for approval",
        description="The text must have no errors. A text that already waits or is approved on "
        "the same version is returned unchanged.",
        request=schemas.ReviewIn,
        responses={201: schemas.FullReview, **problems(413, 415), **STALE, **REJECTED},
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Submit a config for approval."""
        reader, fields = self.fields(
            request,
            ("dialect", "text", "expected_version", "title"),
            required=("text", "expected_version"),
        )
        dialect, text = read_config(reader, fields)
        expected = (
            reader.integer(fields["expected_version"], "expected_version")
            if "expected_version" in fields
            else 0
        )
        title = reader.text(fields.get("title"), "title", LONGEST_TITLE)
        reader.finish()
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            review = request_review(self.actor, dialect, text, expected, title)
        return _full(review, 201)


class OneReview(OrgView):
    """One review request."""

    permissions = {"DELETE": Permission.DRAFT}

    @extend_schema(
        operation_id="get_review",
        summary="Get a review request",
        responses={200: schemas.FullReview, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a review request."""
        return _full(get_review(self.actor.org, number))

    @extend_schema(
        operation_id="withdraw_review",
        summary="Withdraw a review request",
        description="Also ends an approval. Allowed for the people who submitted or edited the "
        "text, and for owners.",
        responses={200: schemas.FullReview, **problems(409)},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Withdraw a review request."""
        return _full(withdraw_review(self.actor, number))


class ReviewComments(OrgView):
    """Comments on a review request."""

    permissions = {"POST": Permission.DRAFT}

    @extend_schema(
        operation_id="comment_review",
        summary="Comment on a review request, approve it, or request changes",
        description="People who submitted or edited the text cannot approve it or request "
        "changes, also not with a token of theirs.",
        request=schemas.ReviewCommentIn,
        responses={200: schemas.FullReview, **problems(413, 415), **STALE},
        examples=[example("Request changes", schemas.EXAMPLE_COMMENT, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Comment on a review request."""
        reader, fields = self.fields(request, ("verdict", "text", "line"))
        verdict = fields.get("verdict")
        if verdict is None:
            verdict = ReviewComment.Verdict.COMMENT.value
        verdict = reader.choice(verdict, "verdict", ReviewComment.Verdict.values)
        text = reader.text(fields.get("text"), "text", LONGEST_COMMENT)
        line = fields.get("line")
        at = None if line is None else reader.integer(line, "line")
        reader.finish()
        return _full(decide_review(self.actor, number, verdict, text, at))


class Approval(OrgView):
    """The setting that requires approval of config changes."""

    permissions = {"PUT": Permission.MANAGE_ORG}

    @extend_schema(
        operation_id="get_approval",
        summary="Get whether config changes need approval",
        responses={200: schemas.Approval, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return whether config changes need approval."""
        return Response({"required": self.actor.org.approval_required})

    @extend_schema(
        operation_id="set_approval",
        summary="Set whether config changes need approval",
        description="If required, applies of texts without an approval of another member are "
        "refused with `approval_required`; rollbacks without one need a message.",
        request=schemas.Approval,
        responses={200: schemas.Approval, **problems(413, 415)},
        tags=_TAG,
    )
    def put(self, request: Request, **kwargs: Any) -> Response:
        """Set whether config changes need approval."""
        reader, fields = self.fields(request, ("required",), required=("required",))
        required = reader.flag(fields.get("required"), "required")
        reader.finish()
        set_approval(self.actor, required=required)
        return Response({"required": required})


def _full(review: ReviewRequest, status: int = 200) -> Response:
    return Response(full_review_answer(review, comments_of(review)), status=status)
