"""The form of a webhook, read by the same rules as the API's requests."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from console.webhooks.models import Webhook


def given_of(post: QueryDict) -> dict[str, Any]:
    """Return what was posted as the fields of a webhook; queues stand one on each line."""
    lines = [line.strip() for line in post.get("queues", "").splitlines()]
    return {
        "name": post.get("name", ""),
        "url": post.get("url", "").strip(),
        "kinds": post.getlist("kinds"),
        "queues": [line for line in lines if line],
    }


def shown_of(webhook: Webhook | None) -> dict[str, Any]:
    """Return what the form of *webhook* shows before anything is typed."""
    if webhook is None:
        return {"name": "", "url": "", "kinds": [], "queues": []}
    return {
        "name": webhook.name,
        "url": webhook.url,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
    }
