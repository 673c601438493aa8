"""Template tags that format values: amounts, times, icons, reasons, links to config lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from console.engine.model.amounts import Amount
from console.engine.model.go_durations import go_text
from console.engine.model.origin import Origin
from console.engine.model.reasons import ReasonClass, reason_of
from console.engine.wording import reasons, words
from console.pages.appearance import DENSITY, KEYS, THEME, selected_value
from console.pages.local_times import ZONE
from console.pages.personal_formats import DEFAULT, active_formats
from console.pages.presenters.workloads.pod_sets import admitted_amounts
from console.static_files import SCRIPT_BUNDLES
from console.workloads.models import State, Workload

register = template.Library()

STATE_TITLES = {
    "pending": "Pending",
    "admitted": "Admitted",
    "preempting": "Preempting",
    "finished": "Finished",
    "rejected": "Rejected",
    "withdrawn": "Withdrawn",
}

REASON_CLASS_TITLES = {
    ReasonClass.RUNNING: "Admitted",
    ReasonClass.REJECTED: "Rejected",
    ReasonClass.CANNOT_RUN: "Cannot run as configured",
    ReasonClass.HELD: "Held",
    ReasonClass.SOON: "Starting soon",
    ReasonClass.WAITING: "Waiting",
    ReasonClass.UNSEEN: "Not evaluated yet",
    ReasonClass.PREEMPTED: "Preempted",
    ReasonClass.ENDED: "Ended",
    ReasonClass.UNKNOWN: "Unknown",
}


@lru_cache(maxsize=1)
def _icons() -> str:
    """Return the URL of the icon file; cached because a page has hundreds of icons."""
    return static("img/icons.svg")


@register.simple_tag
def script_bundle(name: str) -> SafeString:
    """Return the element of a bundle of scripts; in development, one for each of its files."""
    files = SCRIPT_BUNDLES[name] if settings.DEBUG else (name,)
    return format_html_join("\n", '<script src="{}" defer></script>', ((static(f),) for f in files))


@register.simple_tag
def icon(name: str, title: str = "") -> SafeString:
    """Return the icon *name*; without *title*, it is decorative and hidden from screen readers."""
    return _icon(f"{_icons()}#{name}", title)


# Cached by type, too: a SafeString is not escaped, but equals the same plain text.
@lru_cache(maxsize=512, typed=True)
def _icon(href: str, title: str) -> SafeString:
    if title:
        return format_html(
            '<svg class="icon" role="img" aria-label="{}"><title>{}</title><use href="{}"/></svg>',
            title,
            title,
            href,
        )
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}"/></svg>', href)


@register.simple_tag
def marked(text: str) -> SafeString:
    """Return *text* with parts in backticks as code elements, as in Markdown."""
    parts = text.split("`")
    pieces = (
        (format_html("<code>{}</code>", part) if i % 2 else part,) for i, part in enumerate(parts)
    )
    return format_html_join("", "{}", pieces)


@register.simple_tag
def table_rows(rows: Sequence[Sequence[str]]) -> SafeString:
    """
    Return table rows of equal length: a time as row header, then numbers.

    A template loop takes several times as long, and there may be hundreds of rows.

    >>> table_rows([("08:00", "<1")])
    '<tr><th scope="row" class="nowrap">08:00</th><td class="number">&lt;1</td></tr>'
    """
    numbers = len(rows[0]) - 1 if rows else 0
    row = '<th scope="row" class="nowrap">{}</th>' + '<td class="number">{}</td>' * numbers
    return format_html_join("", f"<tr>{row}</tr>", rows)


@register.filter
def quantity(value: Amount, resource: str) -> str:
    """Return the text of an amount without its resource; bytes in the units of Kubernetes."""
    return words.quantity(value, resource)


@register.filter
def requests(value: Mapping[str, int]) -> str:
    """
    Return the text of a request in one line.

    >>> requests({"gpu": 8000, "cpu": 1500, "memory": 2**31 * 1000})
    '8 GPUs, 1.5 CPUs, 2Gi memory'
    """
    return ", ".join(words.amount(number, name) for name, number in value.items())


@register.filter
def short_requests(value: Mapping[str, int]) -> str:
    """
    Return the text of a request for a narrow column: GPUs first, resources without their domain.

    >>> short_requests({"cpu": 1500, "nvidia.com/gpu": 8000})
    '8 GPUs, 1.5 CPUs'
    """
    ordered = sorted(value.items(), key=lambda item: not words.is_gpu(item[0]))
    return ", ".join(words.amount(number, words.short_name(name)) for name, number in ordered)


register.filter("resource_name", words.resource_name)


@register.filter
def admitted(workload: Workload) -> Mapping[str, int]:
    """Return the admitted amounts of *workload*, less than its request if fewer pods run."""
    return admitted_amounts(workload)


@register.filter
def flavors(assignment: Sequence[Mapping[str, Any]]) -> str:
    """
    Return the text of the assigned flavors with their resources, by pod set if these differ.

    >>> flavors([{"name": "main", "count": 1, "flavors": {"gpu": "spot", "cpu": "spot"}}])
    'spot (gpu, cpu)'
    >>> driver = {"name": "driver", "count": 1, "flavors": {"cpu": "fixed"}}
    >>> flavors([driver, {"name": "worker", "count": 8, "flavors": {"cpu": "spot"}}])
    'driver: fixed (cpu); worker x 8: spot (cpu)'

    Pods in places have the flavors or clusters of these.

    >>> here = [{"count": 2, "cluster": "east", "node": "n1"}]
    >>> flavors([{"name": "main", "count": 2, "flavors": {}, "places": here}])
    'east'
    """
    given = [(_pods(each), by_flavor(each["flavors"]) or _places(each)) for each in assignment]
    if len({written for _, written in given}) <= 1:
        return given[0][1] if given else ""
    return "; ".join(f"{pods}: {written or 'no flavor'}" for pods, written in given)


@register.filter
def nodes(assignment: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """
    Return the clusters of an assignment, each with its nodes and their numbers of pods.

    >>> places = [{"count": 2, "cluster": "east", "node": "n1"}, {"count": 1, "cluster": "west"}]
    >>> nodes([{"name": "main", "count": 3, "flavors": {}, "places": places}])
    [('east', 'n1 (2 pods)'), ('west', '1 pod')]
    """
    found: dict[str, dict[str, int]] = {}
    for each in assignment:
        for place in each.get("places", ()):
            there = found.setdefault(place.get("cluster", ""), {})
            node = place.get("node", "")
            there[node] = there.get(node, 0) + place["count"]
    return [
        (
            cluster,
            words.cut(
                f"{node} ({words.plural(count, 'pod')})" if node else words.plural(count, "pod")
                for node, count in there.items()
            ),
        )
        for cluster, there in found.items()
    ]


def _places(pod_set: Mapping[str, Any]) -> str:
    names = (place.get("flavor") or place.get("cluster") for place in pod_set.get("places", ()))
    return words.cut(dict.fromkeys(name for name in names if name))


def _pods(pod_set: Mapping[str, Any]) -> str:
    name, count = pod_set["name"], pod_set["count"]
    return f"{name}" if count == 1 else f"{name} x {count}"


@register.filter
def by_flavor(flavors: Mapping[str, str]) -> str:
    """
    Return the text of the flavors of one pod set, with their resources.

    >>> by_flavor({"gpu": "spot", "cpu": "fixed", "memory": "fixed"})
    'spot (gpu), fixed (cpu, memory)'
    """
    given: dict[str, list[str]] = {}
    for resource, flavor in flavors.items():
        given.setdefault(flavor, []).append(resource)
    return ", ".join(f"{flavor} ({', '.join(names)})" for flavor, names in given.items())


@register.filter
def entry(values: Mapping[str, str], key: str) -> str:
    """Return the value of *key* in *values*, or an empty string."""
    return values.get(key, "")


@register.filter
def as_json(value: object) -> str:
    """Return *value* as JSON text."""
    return json.dumps(value, ensure_ascii=False)


@register.filter
def count(value: int) -> str:
    r"""
    Return a count with the reader's separator between groups of thousands.

    >>> count(12345)
    '12\u202f345'
    """
    return active_formats().count(value)


@register.filter
def run_time(milliseconds: int) -> str:
    """
    Return the text of a maximum run time.

    >>> run_time(5_400_000)
    '1h30m'
    """
    return go_text(milliseconds // 1000)


@register.filter
def state_title(state: str) -> str:
    """Return the title of a workload's state."""
    return STATE_TITLES.get(state, state)


@register.filter
def reason_message(workload: Workload) -> str:
    """Return the reason of the state of *workload*, with the missing amounts if it is pending."""
    present: str = workload.present_reason  # type: ignore[attr-defined]
    missing: Mapping[str, int] | None = workload.missing  # type: ignore[attr-defined]
    return reasons.reason_message(present, missing)


@register.filter
def short_reason(workload: Workload) -> str:
    """Return the same text for a column of a list, where resources have no domain."""
    present: str = workload.present_reason  # type: ignore[attr-defined]
    missing: Mapping[str, int] | None = workload.missing  # type: ignore[attr-defined]
    return reasons.reason_message(present, missing, is_short=True)


@register.filter
def cannot_run(workload: Workload) -> bool:
    """Return whether *workload* is pending and can never run under the active config."""
    present: str = workload.present_reason  # type: ignore[attr-defined]
    return workload.state == State.PENDING and reason_of(present).cannot_run


@register.filter
def reason_title(reason: str) -> str:
    """Return the title of a reason code."""
    return reasons.reason_title(reason)


@register.filter
def reason_class(reason: str) -> str:
    """
    Return the title of a reason code's class.

    >>> reason_class("queue_held")
    'Held'
    """
    return REASON_CLASS_TITLES[reasons.reason_class(reason)]


@register.filter
def event_title(event_type: str) -> str:
    """
    Return the title of an event's type.

    >>> event_title("REQUEST_ADMITTED")
    'Request admitted'
    """
    return event_type.replace("_", " ").capitalize()


@register.simple_tag
def age(moment: datetime | None) -> SafeString | str:
    """Return the age of *moment*, with the exact time as tooltip; scripts update the age."""
    if moment is None:
        return "—"
    return format_html(
        '<time datetime="{}" title="{}" data-age>{} ago</time>',
        moment.isoformat(),
        _tooltip(moment),
        span_of(moment),
    )


@register.simple_tag
def waiting(moment: datetime | None) -> SafeString | str:
    """Return the time span since *moment*; scripts update it."""
    if moment is None:
        return "—"
    return format_html(
        '<time datetime="{}" title="since {}" data-age="span">{}</time>',
        moment.isoformat(),
        _tooltip(moment),
        span_of(moment),
    )


@register.simple_tag
def until(moment: datetime) -> SafeString:
    """Return the time span until *moment*; scripts update it."""
    return format_html(
        '<time datetime="{}" title="{}" data-age="until">{}</time>',
        moment.isoformat(),
        _tooltip(moment),
        _span(max(0, int((moment - timezone.now()).total_seconds()))),
    )


@register.simple_tag
def exact(moment: datetime | None) -> SafeString | str:
    """Return the exact time of *moment*; for readers with other formats, with UTC as tooltip."""
    if moment is None:
        return "—"
    if active_formats() is DEFAULT:
        return format_html('<time datetime="{}">{}</time>', moment.isoformat(), second(moment))
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        DEFAULT.second(moment),
        second(moment),
    )


def _tooltip(moment: datetime) -> str:
    """Return the exact time in the formats of the reader; if these differ, in UTC as well."""
    text = second(moment)
    if active_formats() is DEFAULT:
        return text
    in_utc = DEFAULT.second(moment)
    return text if text == in_utc else f"{text} ({in_utc})"


@register.filter
def day(moment: datetime) -> str:
    """Return the date of *moment*."""
    return active_formats().day(moment)


@register.filter
def minute(moment: datetime) -> str:
    """Return date and time of *moment* to the minute, with its offset from UTC."""
    return active_formats().minute(moment)


@register.filter
def second(moment: datetime) -> str:
    """Return date and time of *moment* to the second, with its offset from UTC."""
    return active_formats().second(moment)


@register.filter
def microsecond(moment: datetime) -> str:
    """Return date and time of *moment* to the microsecond, with its offset from UTC."""
    return active_formats().microsecond(moment)


@register.filter
def clock(moment: datetime) -> str:
    """Return the time of day of *moment* to the second, with its offset from UTC."""
    return active_formats().clock_text(moment)


@register.simple_tag
def time_zone() -> str:
    """Return the reader's time zone, for the label of a field with a time."""
    return active_formats().zone


@register.simple_tag
def clock_hours() -> str:
    """Return the hours of the reader's clock, for scripts: 12 or 24."""
    return active_formats().clock


@register.simple_tag
def digit_grouping() -> str:
    """Return the separator of the reader's counts, for scripts."""
    return active_formats().separator


@register.simple_tag
def zone_field() -> SafeString | str:
    """Return the hidden field with the zone of a form with times; nothing in UTC."""
    zone = active_formats().zone
    if zone == DEFAULT.zone:
        return ""
    return format_html('<input type="hidden" name="{}" value="{}">', ZONE, zone)


@register.filter
def field_time(moment: datetime | None) -> str:
    """
    Return a time as the value of a datetime-local field, in the zone of the reader.

    >>> field_time(datetime.fromisoformat("2026-01-31T13:00:00.25+01:00"))
    '2026-01-31T12:00:00.250'
    """
    return _field_value(moment, "milliseconds")


@register.filter
def field_minute(moment: datetime | None) -> str:
    """
    Return a time as the value of a datetime-local field, to the minute.

    >>> field_minute(datetime.fromisoformat("2026-01-31T13:00:59+01:00"))
    '2026-01-31T12:00'
    """
    return _field_value(moment, "minutes")


def field_day(moment: datetime | None) -> str:
    """
    Return the date of a time as the value of a date field, in the zone of the reader.

    >>> field_day(datetime.fromisoformat("2026-01-31T00:30:00+01:00"))
    '2026-01-30'
    """
    return _field_value(moment, "minutes")[: len("2026-01-30")]


def _field_value(moment: datetime | None, timespec: str) -> str:
    if moment is None:
        return ""
    return active_formats().local(moment).replace(tzinfo=None).isoformat(timespec=timespec)


def span_of(moment: datetime) -> str:
    """Return the time since *moment* in its largest unit."""
    return _span(max(0, int((timezone.now() - moment).total_seconds())))


def _span(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


@lru_cache(maxsize=256)
def _version_url(org: str, version: int, _prefix: str) -> str:
    """Return the URL of a version; cached because a page has hundreds of links to lines."""
    return reverse("pages:config-version", args=[org, version])


@register.simple_tag
def lines(org: str, version: int | None, origin: Origin | None) -> SafeString | str:
    """Return a link to the lines of *origin* in a config version."""
    if origin is None or not version:
        return ""
    return _lines(org, version, line_range(origin), get_script_prefix())


@lru_cache(maxsize=4096)
def _lines(org: str, version: int, span: str, prefix: str) -> SafeString:
    """Return the link to *span* of a version; cached because many sentences have the same link."""
    return format_html(
        '<a class="lines-link" href="{}#{}" title="Version {}, {}">v{} {}</a>',
        _version_url(org, version, prefix),
        span.replace("–", "-"),
        version,
        span,
        version,
        span,
    )


@register.filter
def line_range(origin: Origin) -> str:
    """
    Return the text of the lines of *origin*.

    >>> line_range(Origin(3, 1, 7, 2)), line_range(Origin(3, 1, 3, 9))
    ('L3–L7', 'L3')
    """
    if origin.end_line > origin.line:
        return f"L{origin.line}–L{origin.end_line}"
    return f"L{origin.line}"


@register.simple_tag
def org_url(name: str, org: str, *args: Any, **query: Any) -> str:
    """Return the URL of an organization's page with a query string."""
    url = reverse(f"pages:{name}", args=[org, *args])
    given = {key: value for key, value in query.items() if value not in ("", None)}
    return f"{url}?{urlencode(given)}" if given else url


@register.simple_tag
def has_passwords() -> bool:
    """Return whether the installation has sign-in with passwords, so that users can change them."""
    return bool(settings.LOCAL_SIGN_IN)


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """Return the reader's theme; empty to follow the system."""
    found = selected_value(context.get("request"), THEME)
    return "" if found == "system" else found


@register.simple_tag(takes_context=True)
def density(context: template.Context) -> str:
    """Return the reader's row height."""
    return selected_value(context.get("request"), DENSITY)


@register.simple_tag(takes_context=True)
def keys(context: template.Context) -> str:
    """Return whether single-letter shortcuts are "on" or "off"."""
    return selected_value(context.get("request"), KEYS)
