"""
Live pages: an open page polls every two seconds, and gets only the changes.

A poll contains the stamp of the displayed state. Without changes, the response is 204 with the
current stamp; otherwise it has the live parts of the page only. A rendered page is reused for a
multiple of its rendering time: during this time, all clients with the same page, permissions and
formats of times get it, with its age. So the cost does not grow with the number of viewers, and a
busy server renders less often. A page that is opened is always rendered anew.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages import poll_interval as pace
from console.pages import snapshots
from console.pages.personal_formats import active_formats
from console.pages.poll import Peers, PollRequest, WatchedActor, is_poll
from console.pages.shell import build, live_version
from console.pages.snapshots import Snapshot, Stamp

R = TypeVar("R", bound=HttpResponseBase)


def live_by(
    version_of: Callable[[Organization], str],
) -> Callable[[Callable[..., R]], Callable[..., R | HttpResponse]]:
    """
    Return a decorator of views whose page can be polled with `?v=<stamp>`.

    *version_of* returns a text that changes whenever the page's data changes. It is read before
    the data, so that a change in between is shown one poll later rather than never.
    """

    def live(view: Callable[..., R]) -> Callable[..., R | HttpResponse]:
        @wraps(view)
        def page(request: HttpRequest, actor: Actor, **kwargs: Any) -> R | HttpResponse:
            if is_poll(request):
                return _answer_poll(request, actor, version_of, view, kwargs)
            now = Stamp.now()
            request.live_stamp = Stamp(now.as_of, version_of(actor.org))  # type: ignore[attr-defined]
            return view(request, actor, **kwargs)

        return page

    return live


#: Decorator of pages that show the state of the engine, of holds and of configs.
live_page = live_by(live_version)


def _answer_poll(
    request: HttpRequest,
    actor: Actor,
    version_of: Callable[[Organization], str],
    view: Callable[..., R],
    kwargs: dict[str, Any],
) -> R | HttpResponse:
    shown, now = Stamp.read(request.GET["v"]), Stamp.now()
    poll = PollRequest(request)
    shared, own = _keys(poll, actor, kwargs)
    cached = snapshots.load(shared, own)
    if cached is not None:
        if cached.stamp.as_of <= shown.as_of:
            return _unchanged(shown)
        if cached.stamp.state == shown.state:
            return _unchanged(cached.stamp)
        return _live_parts(request, cached)
    present = Stamp(now.as_of, version_of(actor.org))
    if present.state == shown.state:
        return _unchanged(present)
    if not snapshots.acquire(shared) and now.as_of - shown.as_of < pace.MOST:
        # Another request has already rendered it; the next poll gets it.
        return _unchanged(shown)
    try:
        return _render(request, poll, actor, present, view, kwargs)
    finally:
        snapshots.release(shared)


#: One per process: other processes learn the same permissions from the same pages.
_peers = Peers()


def _keys(poll: PollRequest, actor: Actor, kwargs: dict[str, Any]) -> tuple[str, str]:
    """Return the cache keys: shared by actors of equal permissions and formats, and private."""
    address, peers = poll.build_absolute_uri(), _peers.of(_page_of(poll), actor)
    formats = active_formats().key
    shared = snapshots.key_of(
        build(), actor.org.pk, peers, formats, address, sorted(kwargs.items())
    )
    return shared, snapshots.key_of(shared, actor.key)


def _page_of(poll: PollRequest) -> str:
    return poll.resolver_match.view_name if poll.resolver_match else poll.path


def _render(
    request: HttpRequest,
    poll: PollRequest,
    actor: Actor,
    present: Stamp,
    view: Callable[..., R],
    kwargs: dict[str, Any],
) -> R | HttpResponse:
    """Render the page as of *present* for *actor*, and cache it for actors with the same view."""
    poll.live_stamp = present  # type: ignore[attr-defined]
    watched = WatchedActor.like(actor)
    begun, worked = time.perf_counter(), time.thread_time()
    response = view(poll, watched, **kwargs)
    if not isinstance(response, HttpResponse) or response.status_code != HTTPStatus.OK:
        return response
    took, worked = time.perf_counter() - begun, time.thread_time() - worked
    reused_until = present.as_of + pace.reuse_time(took * 1000, worked * 1000)
    snapshot = Snapshot(present, reused_until, snapshots.compressed(response.content))
    _peers.learn(_page_of(poll), watched.checked_permissions)
    shared, own = _keys(poll, actor, kwargs)
    snapshots.store(own if watched.is_personal else shared, snapshot)
    return _live_parts(request, snapshot)


def _unchanged(stamp: Stamp) -> HttpResponse:
    return _with_stamp(HttpResponse(status=HTTPStatus.NO_CONTENT), stamp)


def _live_parts(request: HttpRequest, snapshot: Snapshot) -> HttpResponse:
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        answer = HttpResponse(snapshot.body, headers={"Content-Encoding": "gzip"})
    else:
        answer = HttpResponse(gzip.decompress(snapshot.body))
    return _with_stamp(answer, snapshot.stamp)


def _with_stamp(answer: HttpResponse, stamp: Stamp) -> HttpResponse:
    """Set headers with the stamp of the displayed state, its age in seconds, and the build."""
    age = max(0, Stamp.now().as_of - stamp.as_of)
    answer.headers["X-Live-Stamp"] = str(stamp)
    answer.headers["X-Live-Age"] = f"{age / 1000:.3f}"
    answer.headers["X-Live-Build"] = build()
    return answer
