"""The Kubernetes syntax of names and labels, and repairs of invalid ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from console.dialects.codes import Code
from console.dialects.findings import Findings, Repair
from console.dialects.kueue.codes import BAD_LABEL, BAD_NAME
from console.dialects.repairs import replace
from console.dialects.wording import shorten
from console.dialects.written import Read, Written

MAX_LABEL: Final = 63
MAX_SUBDOMAIN: Final = 253
#: A DNS label, of which subdomains consist.
DNS_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DNS_SUBDOMAIN: Final = rf"{DNS_LABEL}(\.{DNS_LABEL})*"
LABEL: Final = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
LABEL_KEY: Final = rf"({DNS_SUBDOMAIN}/)?{LABEL}"

_DNS_LABEL = re.compile(DNS_LABEL)
_DNS_SUBDOMAIN = re.compile(DNS_SUBDOMAIN)
_LABEL = re.compile(LABEL)


def is_dns_label(text: str) -> bool:
    """Return whether *text* is a valid name of a namespace."""
    return len(text) <= MAX_LABEL and _DNS_LABEL.fullmatch(text) is not None


def is_dns_subdomain(text: str) -> bool:
    """Return whether *text* is a valid name of an object."""
    return len(text) <= MAX_SUBDOMAIN and _DNS_SUBDOMAIN.fullmatch(text) is not None


def is_label_key(text: str) -> bool:
    """Return whether *text* is a valid key of a label or name of a resource."""
    prefix, slash, name = text.rpartition("/")
    return is_label_value(name) and name != "" and (not slash or is_dns_subdomain(prefix))


def is_label_value(text: str) -> bool:
    """Return whether *text* is a valid value of a label."""
    return not text or (len(text) <= MAX_LABEL and _LABEL.fullmatch(text) is not None)


def check_name(name: Read[str], what: str, findings: Findings) -> None:
    """Report an invalid name of an object (Kueue, spec 1.3: DNS subdomain)."""
    _check(
        name,
        what,
        BAD_NAME,
        is_dns_subdomain,
        "Use lower-case letters, digits, - and ., up to 253; begin and end with a letter or digit.",
        findings,
    )


def check_namespace_name(name: Read[str], findings: Findings) -> None:
    """Report an invalid name of a namespace."""
    _check(
        name,
        "a namespace",
        BAD_NAME,
        is_dns_label,
        "Use lower-case letters, digits and -, up to 63; begin and end with a letter or digit.",
        findings,
    )


def check_label_key(key: Read[str], what: str, findings: Findings) -> None:
    """Report an invalid key of a label (Kueue, spec 1.2, 1.3)."""
    _check(
        key,
        what,
        BAD_LABEL,
        is_label_key,
        "Use up to 63 letters, digits, -, _ and ., if needed behind a DNS name and a slash.",
        findings,
    )


def check_label_value(value: Read[str], what: str, findings: Findings) -> None:
    """Report an invalid value of a label."""
    _check(
        value,
        what,
        BAD_LABEL,
        is_label_value,
        "Use up to 63 letters, digits, -, _ and .; begin and end with a letter or digit.",
        findings,
    )


def check_labels(
    labels: Iterable[tuple[Written[str], Read[str]]], what: str, findings: Findings
) -> None:
    """Report invalid keys and values of labels."""
    for key, value in labels:
        check_label_key(key, f"the key of a {what}", findings)
        check_label_value(value, f"the value of a {what}", findings)


def _check(
    text: Read[str],
    what: str,
    code: Code,
    accepts: Callable[[str], bool],
    hint: str,
    findings: Findings,
) -> None:
    if not isinstance(text, Written) or accepts(text.value):
        return
    repairs: tuple[Repair, ...] = ()
    meant = _nearest(text.value, lower=code is BAD_NAME)
    if meant and accepts(meant):
        repairs = (replace(text.place, meant),)
    findings.add(code, text.place, f'"{shorten(text.value)}" cannot be {what}.', hint, repairs)


def _nearest(text: str, *, lower: bool) -> str:
    """Return *text* with invalid characters between its words replaced by a dash."""
    words = re.sub(
        r"[^a-z0-9.]+" if lower else r"[^A-Za-z0-9._/]+", "-", text.lower() if lower else text
    )
    return words.strip("-._")
