"""Targets of links in documents: other documents, files, web addresses, and files without one."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import normpath
from typing import Final
from urllib.parse import unquote, urlsplit

from console.documentation.library import Library, document_url, file_url

_WEB: Final = frozenset({"http", "https", "mailto"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: an address, or a file of the repository that has none."""

    #: Empty if there is none.
    url: str = ""
    #: Whether the address is on another site.
    is_external: bool = False
    #: The path in the repository; empty if the link names no file.
    path: str = ""
    #: The name of the document; empty if it is none.
    document: str = ""


def resolve(href: str, name: str, library: Library) -> Target:
    """
    Return the target of a link in the document *name*.

    Only web addresses, documents, and files of the folder of the documents have an address.
    """
    try:
        parts = urlsplit(href)
    except ValueError:
        return Target()
    if parts.scheme in _WEB:
        return Target(href, is_external=True)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return Target()
    anchor = parts.fragment
    if not parts.path:
        return Target(f"#{anchor}" if anchor else document_url(name))
    path = normpath(f"{library.folder.name}/{unquote(parts.path)}")
    folder, _, below = path.partition("/")
    if folder != library.folder.name:
        return Target(path=path)
    document = below.removesuffix(".md")
    if below != document and document in library.documents:
        return Target(document_url(document, anchor), path=path, document=document)
    if below in library.files:
        return Target(file_url(below), path=path)
    return Target(path=path)


def resolve_image(src: str, library: Library) -> str:
    """Return the path of an image in the folder of the documents; empty if it is none."""
    path = normpath(unquote(src))
    return path if library.is_image(path) else ""
