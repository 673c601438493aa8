"""The verification example in the webhook documentation accepts real deliveries only."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from console.pages.presenters.webhooks import kind_choices
from console.webhooks.models import CHOSEN_KINDS, Kind, Webhook, new_seed
from console.webhooks.signing import secret_of, signatures_of

DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "webhooks.md"


def test_every_kind_is_told_of() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \|", DOCUMENTATION.read_text(), re.MULTILINE)
    assert rows == Kind.values
    shown = kind_choices(["workload.rejected"])
    assert [each.kind for each in shown if each.meaning] == [kind.value for kind in CHOSEN_KINDS]
    assert [each.kind for each in shown if each.is_chosen] == ["workload.rejected"]


def test_the_example_verifies_signatures() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENTATION.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102
    verify = names["is_from_sluice"]
    now = timezone.now()
    webhook = Webhook(seed=new_seed())
    secret, body, seconds = secret_of(webhook.seed), b'{"version": 1}', int(now.timestamp())

    def headers(at: int = seconds, uid: str = "msg_1", sign: bytes = body) -> dict[str, str]:
        return {
            "webhook-id": uid,
            "webhook-timestamp": str(at),
            "webhook-signature": signatures_of(webhook, "msg_1", at, sign, now),
        }

    assert verify(headers(), body, secret)
    assert not verify(headers(), body + b" ", secret)
    assert not verify(headers(uid="msg_2"), body, secret)
    assert not verify(headers(), body, secret_of(new_seed()))
    assert not verify(headers(at=seconds - 301), body, secret)
    assert not verify(headers(at=seconds + 301), body, secret)
    late = headers() | {"webhook-timestamp": str(seconds + 1)}
    assert not verify(late, body, secret)
    # During a rotation either secret is valid.
    webhook.old_seed, webhook.seed = webhook.seed, new_seed()
    webhook.old_seed_until = now + timedelta(hours=1)
    assert verify(headers(), body, secret)
    assert verify(headers(), body, secret_of(webhook.seed))
