"""Static files: which files are served, and style sheets and scripts bundled into few files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import Any, Final

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

#: The style sheets that import others: the one of all pages, and the one of the text editor.
STYLE_SHEETS: Final = ("css/site.css", "css/ace.css")

#: The bundles of scripts: name -> the files it consists of, in the order in which they run. Every
#: page loads the first one; the config editor, and the pages of API operations, load another one.
SCRIPT_BUNDLES: Final[Mapping[str, tuple[str, ...]]] = {
    "js/site.js": (
        "django_htmx/htmx-2.min.js",
        "js/console.js",
        "js/keys.js",
        "js/palette.js",
        "js/queues.js",
        "js/selection.js",
        "js/slugs.js",
        "js/history.js",
        "js/source.js",
        "js/unfolded.js",
        "js/matrix.js",
        "js/tree.js",
        "js/charts.js",
        "js/time_zone.js",
        "js/patch.js",
        "js/live.js",
    ),
    "js/workbench.js": (
        "django_ace/ace/ace.js",
        "django_ace/ace/mode-yaml.js",
        "django_ace/ace/ext-searchbox.js",
        "django_ace/ace/ext-language_tools.js",
        "js/places.js",
        "js/problems.js",
        "js/gutter.js",
        "js/outline.js",
        "js/assist.js",
        "js/presence.js",
        "js/requests.js",
        "js/draft.js",
        "js/panes.js",
        "js/editor.js",
    ),
    "js/api.js": ("js/api_request.js",),
}

_IMPORT: Final = re.compile(r'@import url\("(?P<path>[^"]+)"\) layer\((?P<layer>\w+)\);')
_RELATIVE_URL: Final = re.compile(r'url\("\./(?P<path>[^"]+)"\)')


class StaticFiles(StaticFilesConfig):
    """
    Static files app that ignores files of packages that no page loads.

    They are nine tenths of the files, and of the time to collect them.
    """

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        # The editor needs one language, themes as style sheets, and no snippets.
        "mode-[!y]*.js",
        "theme-*.js",
        "worker-*.js",
        "snippets",
        # The browsable API, which is off.
        "rest_framework",
    ]


class BundlingStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """
    Storage of collected files in which style sheets contain their imports, and scripts are bundled.

    Otherwise a browser would request seventy files, and most of them only after it has read others.
    """

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        """Write the bundles, then add hashes and compressed copies of all files."""
        if dry_run:
            return
        bundles = {name: _style_sheet(paths, name) for name in STYLE_SHEETS}
        bundles |= {name: _script(paths, parts) for name, parts in SCRIPT_BUNDLES.items()}
        for name, text in bundles.items():
            # A collected copy is replaced: file names and compressed copies follow its content.
            self.delete(name)
            self._save(name, ContentFile(text.encode()))
        stored = {name: (self, name) for name in bundles}
        yield from super().post_process({**paths, **stored}, **options)


def _style_sheet(paths: dict[str, Any], name: str) -> str:
    """Return the style sheet *name* with each imported file as a block of its layer."""

    def block(found: re.Match[str]) -> str:
        imported = join(dirname(name), found["path"])
        # Paths in the imported file are relative to that file.
        text = _RELATIVE_URL.sub(
            lambda url: f'url("{join(dirname(found["path"]), url["path"])}")',
            _text_of(paths, normpath(imported)),
        )
        return f"@layer {found['layer']} {{\n{text}}}\n"

    return _IMPORT.sub(block, _text_of(paths, name))


def _script(paths: dict[str, Any], parts: tuple[str, ...]) -> str:
    """
    Return the scripts *parts* as one script.

    The console's own are wrapped in functions, so that strict mode stays in effect for each of
    them alone. Packages define global variables, so they are not wrapped.
    """
    texts = ((name, _text_of(paths, name)) for name in parts)
    return "".join(
        f"(() => {{\n{text}}})();\n" if name.startswith("js/") else f"{text}\n;\n"
        for name, text in texts
    )


def _text_of(paths: dict[str, Any], name: str) -> str:
    storage, path = paths[name]
    with storage.open(path) as file:
        text: str = file.read().decode()
    return text
