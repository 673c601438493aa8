"""The fields of a webhook in the audit log."""

from __future__ import annotations

from typing import Any

from console.webhooks.models import Webhook


def facts_of(webhook: Webhook) -> dict[str, Any]:
    """Return the settings of *webhook*, without its secret."""
    return {
        "name": webhook.name,
        "url": webhook.url,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
        "paused": webhook.paused,
    }
