"""
One e-mail to a member about own workloads, through the mail server of the settings.

A message is handed over once: before its text is sent, the delivery is marked. If the mail server
does not answer after that, the message may have arrived, and it is not sent again.
"""

from __future__ import annotations

import json
import smtplib
from collections.abc import Callable, Iterable, Iterator
from email.utils import parseaddr
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from console.orgs.models import Membership, Organization
from console.webhooks.confirmation_links import confirmation_url
from console.webhooks.models import Delivery, Kind, Webhook
from console.webhooks.outcome import Answer, Failure
from console.webhooks.payloads import page_url
from console.webhooks.unsubscribe_links import unsubscribe_url

#: Maximum numbers of characters of a subject, and of an error message that is kept.
_SUBJECT: Final = 150
_DETAIL: Final = 300

#: Status of SMTP for an accepted message.
_ACCEPTED: Final = 250


def send_mail(webhook: Webhook, delivery: Delivery, hand_over: Callable[[], bool]) -> Answer | None:
    """
    Send *delivery* to the member of *webhook*, and return the result.

    *hand_over* is called when the mail server is ready for the message. If it returns False,
    another worker has the delivery: nothing is sent, and the result is None.
    """
    connection = get_connection()
    try:
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        return _failed(_failure_of(error), error)
    try:
        if not hand_over():
            return None
        connection.send_messages([mail_of(webhook, delivery)])
    except smtplib.SMTPServerDisconnected as error:
        return _failed(Failure.UNCERTAIN, error)
    except smtplib.SMTPException as error:
        return _failed(Failure.REFUSED, error)
    except OSError as error:
        return _failed(Failure.UNCERTAIN, error)
    finally:
        connection.close()
    return Answer(failure=None, status=_ACCEPTED)


def mail_of(webhook: Webhook, delivery: Delivery) -> EmailMessage:
    """
    Return the e-mail of *delivery*: text, with links to its workloads and to unsubscribe.

    The e-mail that confirms an address has the link for this instead.
    """
    assert webhook.member is not None
    if delivery.kind == Kind.CONFIRM:
        return _confirmation_mail(webhook.member, delivery)
    org, body = webhook.org, json.loads(delivery.body)
    unsubscribe = unsubscribe_url(webhook.member)
    footer = (
        f"You get this e-mail because you subscribed to it in {org.name} ({org.slug}).",
        f"Your workloads: {page_url(org, 'workloads/mine')}",
        f"Settings: {page_url(org, 'settings/notifications')}",
        f"Unsubscribe: {unsubscribe}",
    )
    links = {
        "List-Unsubscribe": f"<{unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    lines = [*_lines(body), "", "-- ", *footer, ""]
    return _mail(webhook.member, delivery, _subject(org, body), lines, links)


def _confirmation_mail(member: Membership, delivery: Delivery) -> EmailMessage:
    # No name of an organization, which its owner could choose to write to any address.
    lines = (
        f"An account of {settings.PUBLIC_URL} with the address {member.user.email} asks to get",
        "e-mail about its workloads. If it is yours, sign in to it and confirm the address:",
        "",
        confirmation_url(member),
        "",
        "The link works for a day. If the account is not yours, ignore this e-mail: nothing else",
        "is sent to this address.",
        "",
    )
    return _mail(member, delivery, "Confirm your e-mail address", lines, {})


def _mail(
    member: Membership,
    delivery: Delivery,
    subject: str,
    lines: Iterable[str],
    headers: dict[str, str],
) -> EmailMessage:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    return EmailMessage(
        subject=subject,
        body="\n".join(lines),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[member.user.email],
        headers={
            "Message-ID": f"<{delivery.uid}@{domain}>",
            "Auto-Submitted": "auto-generated",
            **headers,
        },
    )


def _subject(org: Organization, body: dict[str, Any]) -> str:
    # Line breaks, which names can have, would end the header.
    summary = " ".join(str(body["summary"]).split())
    prefix = "Daily digest: " if body["type"] == Kind.DIGEST else ""
    subject = f"[{org.slug}] {prefix}{summary}"
    return subject if len(subject) <= _SUBJECT else f"{subject[: _SUBJECT - 1]}…"


def _lines(body: dict[str, Any]) -> Iterator[str]:
    """Yield the lines about one message, or about each message of a digest."""
    if body["type"] == Kind.DIGEST:
        for section in body["data"]["sections"]:
            yield from _lines(section)
            yield ""
        return
    yield f"{body['summary']}."
    for workload in body["data"].get("workloads", ()):
        yield ""
        yield f"* {workload['name']}: {workload['reason']['message']}"
        yield f"  {workload['url']}"
    omitted = body["data"].get("omitted", 0)
    if omitted:
        yield ""
        yield f"{omitted} more are not listed."


def _failure_of(error: Exception) -> Failure:
    if isinstance(error, TimeoutError):
        return Failure.TIMED_OUT
    if isinstance(error, smtplib.SMTPResponseException):
        return Failure.REFUSED
    return Failure.NOT_REACHED


def _failed(failure: Failure, error: Exception) -> Answer:
    status = error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None
    detail = str(error).replace("\0", "\ufffd")[:_DETAIL]
    return Answer(failure=failure, status=status, detail=detail)
