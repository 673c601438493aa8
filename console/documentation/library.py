"""All documents of the installation, read once in each process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.urls import reverse

from console.documentation.contents import read_contents
from console.documentation.plain_text import plain
from console.documentation.sections import Section, read_sections

#: The name of the document that lists the others.
INDEX: Final = "README"

#: Most entries of an outline with sections of the third level.
_LONGEST_OUTLINE: Final = 24

_IMAGES: Final = frozenset({".png", ".svg"})
_TITLE: Final = re.compile(r"^# +(.+?)[ \t]*$", re.MULTILINE)


# Compared by identity, which is fast: rendered pages are cached by document.
@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A Markdown document; its name is the file name without suffix."""

    name: str
    title: str
    source: str

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections; the first one is that of the title."""
        return _sections(self)

    @property
    def outline(self) -> tuple[Section, ...]:
        """The sections below the title; of many, only those of the second level."""
        below = [each for each in self.sections if each.level in (2, 3)]
        is_long = len(below) > _LONGEST_OUTLINE
        return tuple(each for each in below if each.level == 2 or not is_long)

    @property
    def url(self) -> str:
        """The address of its page."""
        return document_url(self.name)


@dataclass(frozen=True, slots=True)
class Group:
    """Documents that the table of contents lists together."""

    title: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """The documents of a folder, and its other files; empty if the folder is missing."""

    folder: Path
    documents: Mapping[str, Document]
    groups: tuple[Group, ...]
    #: Paths of the other files in the folder, such as images/queues-light.png.
    files: frozenset[str]

    @property
    def in_order(self) -> tuple[Document, ...]:
        """The documents in the order of the table of contents."""
        return tuple(document for group in self.groups for document in group.documents)

    def neighbors(self, document: Document) -> tuple[Document | None, Document | None]:
        """Return the documents before and after *document* in the table of contents."""
        documents = self.in_order
        if document not in documents:
            return None, None
        at = documents.index(document)
        before = documents[at - 1] if at else None
        after = documents[at + 1] if at + 1 < len(documents) else None
        return before, after

    def is_image(self, path: str) -> bool:
        """Return whether *path* is an image in the folder."""
        return path in self.files and Path(path).suffix in _IMAGES


def library() -> Library:
    """Return the documents of this installation."""
    return read_library(settings.DOCUMENTATION)


# Documents change only with the code, so that a process with other code reads them again.
@lru_cache(maxsize=4)
def read_library(folder: Path) -> Library:
    """Return the documents of *folder*."""
    documents = {path.stem: _document(path) for path in sorted(folder.glob("*.md"))}
    index = documents.get(INDEX)
    groups = tuple(
        Group(group.title, tuple(documents[name] for name in group.names if name in documents))
        for group in read_contents(index.source if index else "")
    )
    files = frozenset(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".md" and "__pycache__" not in path.parts
    )
    return Library(folder, documents, groups, files)


def document_url(name: str, anchor: str = "") -> str:
    """Return the address of a document, or of the section with *anchor*."""
    url = reverse("pages:docs") if name == INDEX else reverse("pages:docs-page", args=[name])
    return f"{url}#{anchor}" if anchor else url


def file_url(path: str) -> str:
    """Return the address of a file of the folder."""
    return reverse("pages:docs-file", args=[path])


# Read on demand, because a page with a link to one section does not need those of all documents.
@lru_cache(maxsize=500)
def _sections(document: Document) -> tuple[Section, ...]:
    return read_sections(document.source)


def _document(path: Path) -> Document:
    source = path.read_text("utf-8")
    title = _TITLE.search(source)
    return Document(path.stem, plain(title[1]) if title else path.stem, source)
