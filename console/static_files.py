"""Static files: which files are served, and the style sheets as one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname, join
from typing import Any, Final

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

#: The style sheet that imports all others.
_SITE: Final = "css/site.css"

_IMPORT: Final = re.compile(r'@import url\("(?P<path>[^"]+)"\) layer\((?P<layer>\w+)\);')


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
        # The alternative viewer of API documents, and the browsable API, which is off.
        "redoc",
        "rest_framework",
    ]


class BundlingStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """
    Storage of collected files with the style sheets of the site in one file.

    Otherwise a browser would request fifty imported files, and only after it has read the first.
    """

    def post_process(
        self, paths: dict[str, Any], dry_run: bool = False, **options: Any
    ) -> Iterator[Any]:
        """Replace the imports in the site's style sheet, then add hashes and compressed copies."""
        if dry_run:
            return
        bundle = ContentFile(self._bundle(paths).encode())
        # The collected copy is replaced: file names and compressed copies follow its content.
        self.delete(_SITE)
        self._save(_SITE, bundle)
        yield from super().post_process({**paths, _SITE: (self, _SITE)}, **options)

    def _bundle(self, paths: dict[str, Any]) -> str:
        """Return the site's style sheet with each imported file as a block of its layer."""

        def text_of(name: str) -> str:
            storage, path = paths[name]
            with storage.open(path) as file:
                text: str = file.read().decode()
            return text

        def block(found: re.Match[str]) -> str:
            imported = text_of(join(dirname(_SITE), found["path"]))
            return f"@layer {found['layer']} {{\n{imported}}}\n"

        return _IMPORT.sub(block, text_of(_SITE))
