"""What the audit log keeps of a webhook."""

from __future__ import annotations

from typing import Any

from console.webhooks.models import Webhook


def facts_of(webhook: Webhook) -> dict[str, Any]:
    """Return what somebody can set of *webhook*; its secret is not among it."""
    return {
        "name": webhook.name,
        "url": webhook.url,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
        "paused": webhook.paused,
    }
