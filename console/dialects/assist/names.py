"""
Names: the objects that a text defines, in order, and the references to them.

The schema marks the places: ``x-item`` on the schema of an object, with the path to its name
(``name``) or to the name of its target (``leads_to``), and ``x-refers-to`` on a text that names an
object. An object of a kind with ``x-implied`` exists as soon as it is referenced.

With ``path``, the name of an object begins with that of the object of its kind around it, and a
dot, in lower case. ``path`` has the name of the outermost object (``top``), which the text may
leave out, and the kind (``within``) of the objects whose names and a colon come first, except for
one name (``unless``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from console.dialects.assist.cursor_context import Path
from console.dialects.assist.schemas import Schema, schemas_at, step_into
from console.dialects.assist.tolerant_parser import Node, TolerantParser

#: Maximum number of objects and references that are collected; a text of 1 MiB may have more.
MOST = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An object in the text: defined, or implied by a reference."""

    kind: str
    #: Its name; for a rule, the name of its queue. Empty if it has none yet.
    name: str
    #: Its number among the objects of its kind, from 1.
    number: int
    #: Whether *name* is its own name, and not that of the object it refers to.
    is_named: bool
    #: Whether the text defines it, and does not only refer to it.
    is_described: bool
    document: int
    path: Path
    line: int
    column: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place that names an object."""

    kind: str
    name: str
    line: int
    column: int
    end_column: int
    document: int
    path: Path
    #: Whether the text has only the part of *name* after the last dot.
    is_last_part: bool = False


@dataclass(slots=True)
class Names:
    """The objects and references of a text, in the order of the text."""

    items: list[Item] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    #: The places of the names of the defined items that have a name.
    definitions: list[Reference] = field(default_factory=list)

    def known(self, kind: str, line: int = 0, column: int = 0) -> list[str]:
        """
        Return the names of a kind: those of defined objects first, then those only referenced.

        A reference at *line* and *column*, which is being typed, is omitted.
        """
        described = [
            item.name
            for item in self.items
            if item.kind == kind and item.is_named and item.is_described
        ]
        referred = [
            each.name
            for each in self.references
            if each.kind == kind
            and not (each.line == line and each.column <= column <= each.end_column)
        ]
        return [name for name in dict.fromkeys([*described, *referred]) if name]

    def described(self, kind: str, name: str) -> Item | None:
        """Return the object *name*, or None if the text does not define it."""
        for each in self.items:
            if (each.kind, each.name) == (kind, name) and each.is_named and each.is_described:
                return each
        return None

    def references_to(self, kind: str, name: str) -> list[Reference]:
        """Return the references to the object *name*."""
        return [each for each in self.references if (each.kind, each.name) == (kind, name)]

    def item_at(self, line: int) -> Item | None:
        """Return the innermost object whose lines include *line*."""
        found = [
            item for item in self.items if item.is_described and item.line <= line <= item.end_line
        ]
        return found[-1] if found else None


def read_names(schema: Schema, parsed: TolerantParser) -> Names:
    """Return the names in a parsed text."""
    walk = _Walk(schema)
    for number, root in enumerate(parsed.roots):
        if root is not None:
            walk.document = number
            walk.visit(root, schemas_at(schema, root, ()), (), {})
    walk.imply()
    return walk.names


class _Walk:
    def __init__(self, schema: Schema) -> None:
        self.names = Names()
        self.document = 0
        self._schema = schema
        self._counts: Counter[str] = Counter()
        self._implied: dict[tuple[str, str], Reference] = {}

    def visit(
        self, node: Node, schemas: list[Schema], path: Path, around: Mapping[str, str]
    ) -> None:
        """Add the names in *node*; *around* has the innermost object of each kind around it."""
        if len(self.names.items) + len(self.names.references) >= MOST:
            return
        if node.kind == "scalar":
            self._refer(node, schemas, path)
            return
        for schema in schemas:
            if "x-item" in schema:
                item = schema["x-item"]
                around = {**around, item["kind"]: self._item(node, item, path, around)}
                break
        for index, entry in enumerate(node.entries):
            if entry.value is None:
                continue
            step = index if node.kind == "sequence" else entry.key.text if entry.key else ""
            below = step_into(self._schema, schemas, step, entry.value)
            if below:
                self.visit(entry.value, below, (*path, step), around)

    def _item(self, node: Node, item: Schema, path: Path, around: Mapping[str, str]) -> str:
        """Add an object, and return its name."""
        kind = item["kind"]
        self._counts[kind] += 1
        named: Node | None = node
        for key in item.get("name", item.get("leads_to", ())):
            named = named.get(key) if named is not None and named.kind == "mapping" else None
        at = named if named is not None and "name" in item else node
        name = named.text if named is not None else ""
        if name and "path" in item:
            name = _full_name(name, kind, item["path"], around)
        if named is not None and name and "name" in item:
            place = _place(kind, named, self.document, path)
            if "path" in item:
                place = replace(place, name=name, is_last_part=True)
            self.names.definitions.append(place)
        self.names.items.append(
            Item(
                kind=kind,
                name=name,
                number=self._counts[kind],
                is_named="name" in item,
                is_described=True,
                document=self.document,
                path=path,
                line=node.line,
                column=at.column if at.line == node.line else node.column,
                end_line=node.end_line,
            )
        )
        return name

    def _refer(self, node: Node, schemas: list[Schema], path: Path) -> None:
        for schema in schemas:
            kind = schema.get("x-refers-to")
            if not kind or not node.text:
                continue
            self.names.references.append(_place(kind, node, self.document, path))
            if schema.get("x-implied"):
                self._implied.setdefault((kind, node.text), self.names.references[-1])
            return

    def imply(self) -> None:
        """Add the objects that exist because they are referenced, unless the text defines them."""
        described = {(item.kind, item.name) for item in self.names.items if item.is_named}
        for (kind, name), first in self._implied.items():
            if (kind, name) in described:
                continue
            self._counts[kind] += 1
            self.names.items.append(
                Item(
                    kind=kind,
                    name=name,
                    number=self._counts[kind],
                    is_named=True,
                    is_described=False,
                    document=first.document,
                    path=first.path,
                    line=first.line,
                    column=first.column,
                    end_line=first.line,
                )
            )


def _full_name(name: str, kind: str, path: Schema, around: Mapping[str, str]) -> str:
    name = name.lower()
    if kind in around:
        return f"{around[kind]}.{name}"
    if name != path["top"]:
        name = f"{path['top']}.{name}"
    outer = around.get(path["within"], "").lower()
    return f"{outer}:{name}" if outer and outer != path["unless"] else name


def _place(kind: str, node: Node, document: int, path: Path) -> Reference:
    return Reference(
        kind=kind,
        name=node.text,
        line=node.line,
        column=node.column,
        end_column=node.end_column,
        document=document,
        path=path,
    )
