"""Short names of browsers from their User-Agent header."""

from __future__ import annotations

#: (Mark in the header, name); browsers that also contain the mark of another one come first.
_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(agent: str) -> str:
    """
    Return the short name of the browser with the header *agent*, or *agent* if unknown.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> browser_name("curl/8.5.0")
    'curl/8.5.0'
    """
    browser = _first(agent, _BROWSERS)
    system = _first(agent, _SYSTEMS)
    if not browser:
        return agent or "unknown client"
    return f"{browser} on {system}" if system else browser


def _first(agent: str, names: tuple[tuple[str, str], ...]) -> str:
    return next((name for mark, name in names if mark in agent), "")
