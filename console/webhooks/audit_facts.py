"""The fields of a webhook in the audit log."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from console.webhooks.models import Format, Webhook


def facts_of(webhook: Webhook) -> dict[str, Any]:
    """Return the settings of *webhook*, without its secret."""
    return {
        "name": webhook.name,
        "url": _logged_url(webhook),
        "format": webhook.format,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
        "paused": webhook.paused,
    }


def _logged_url(webhook: Webhook) -> str:
    """Return the URL; of a webhook for Slack only the host, because the path is its secret."""
    if webhook.format == Format.SLACK:
        parts = urlsplit(webhook.url)
        return f"{parts.scheme}://{parts.netloc}/…"
    return webhook.url
