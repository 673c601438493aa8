"""
The text that a webhook sends for a delivery, in the format of its receiver.

Deliveries are stored in the JSON format, in which they are merged, and converted when they are
sent. The format of a webhook never changes, so each attempt of a delivery sends the same text.
"""

from __future__ import annotations

import json
from typing import Any, Final

from console.webhooks.models import Delivery, Format, Webhook

#: Characters that are markup in texts for Slack.
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

#: Follows an @, so that the name of a workload cannot notify the members of a channel.
_NO_MENTION: Final = "@\u200b"


def sent_text(webhook: Webhook, delivery: Delivery) -> str:
    """Return the JSON text that is sent to *webhook* for *delivery*."""
    if webhook.format == Format.SLACK:
        return json.dumps({"text": chat_text(json.loads(delivery.body))}, ensure_ascii=False)
    return delivery.body


def chat_text(body: dict[str, Any]) -> str:
    r"""
    Return a sentence and a link as text for Slack, from the *body* of a delivery.

    >>> chat_text({"org": "demo", "summary": "a<b was rejected: @all", "url": "https://x/?a&b"})
    '[demo] a&lt;b was rejected: @\u200ball\nhttps://x/?a&amp;b'
    """
    sentence = str(body["summary"]).translate(_MARKUP).replace("@", _NO_MENTION)
    return f"[{body['org']}] {sentence}\n{str(body['url']).translate(_MARKUP)}"
