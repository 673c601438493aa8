"""Rows of the tree of queues: which nodes are shown, their sums, and links that fold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.http import QueryDict

from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Column
from console.engine.model.policy import Policy
from console.engine.wording.words import is_gpu, resource_name
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.queues.capacity_cells import CapacityCell, cells_of
from console.pages.presenters.queues.queue import STATE_TITLES
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.pages.queue_form import MOST_LEVELS, MOST_TOGGLED, QueueSearch, state_of
from console.workloads.queries.freshness import Freshness
from console.workloads.queries.queue_tree import TreeNode

#: Number of rows up to which further levels are unfolded at first.
FIRST_ROWS: Final = 40

#: The fields of a capacity node that are sums; the tree shows them as its discipline calls them.
_SUMS: Final = ("guaranteed", "limit", "used", "demand")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A choice above the tree, and the address of the tree with it."""

    title: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow:
    """One node of the tree."""

    node: TreeNode
    #: Id of the row, independent of order and page.
    key: str
    #: The names above a queue with a final dot, if its name begins with them; else empty.
    parent: str
    #: The name after *parent*.
    leaf: str
    #: The name of the node's page.
    page: str
    #: How the queue treats new workloads, and its title; empty for a cohort.
    state: str
    state_title: str
    #: From 1, the number of siblings that are shown, and the place among them.
    level: int
    size: int
    place: int
    is_parent: bool
    is_open: bool
    #: Address of the tree in which the node is folded, or unfolded if it is.
    toggle_url: str
    #: Whether the row repeats a node of an earlier page that is above the next row.
    is_repeated: bool
    #: Whether it is shown only because a node below it matches the filters.
    is_above: bool
    #: The bar of the flavor with the least available quota, and amounts, of the chosen resource.
    bar: Bar | None
    cells: tuple[CapacityCell, ...]


class QueueTree:
    """The nodes of a tree that match a search, in its order."""

    def __init__(self, roots: Sequence[TreeNode], search: QueueSearch) -> None:
        self._search = search
        self._shown = self._matching(roots) if search.is_filtered else None
        self._roots = self._ordered(roots)
        self._children: dict[int, list[TreeNode]] = {}

    def is_open(self, node: TreeNode) -> bool:
        """Return whether the children of *node* are shown."""
        if node.name in self._search.folded:
            return False
        return node.name in self._search.unfolded or node.depth + 1 < self.levels

    @cached_property
    def levels(self) -> int:
        """The number of unfolded levels: as requested, or as many as fit on a screen."""
        if self._search.levels is not None:
            return self._search.levels
        if self._shown is not None:
            return MOST_LEVELS
        level, rows, depth = self._roots, len(self._roots), 1
        while level := [child for node in level for child in node.children]:
            rows += len(level)
            # A single root alone says nothing.
            if rows > FIRST_ROWS and not depth == len(self._roots) == 1:
                break
            depth += 1
        return min(depth, MOST_LEVELS)

    @cached_property
    def visible(self) -> list[TreeNode]:
        """The nodes whose ancestors are unfolded, from top to bottom."""
        return list(self._visible(self._roots))

    @property
    def queue_count(self) -> int:
        """The number of queues that match, without those above other queues."""
        nodes = (node for root in self._roots for node in root.walk())
        return sum(
            node.view is not None
            and not node.children
            and (self._shown is None or id(node) in self._shown)
            for node in nodes
        )

    @property
    def depth(self) -> int:
        """The number of levels."""
        return max(
            (node.depth + 1 for root in self._roots for node in root.walk()),
            default=0,
        )

    def siblings(self, node: TreeNode) -> list[TreeNode]:
        """Return the shown nodes with the same parent, *node* included, in order."""
        return self._roots if node.parent is None else self.children(node.parent)

    def is_shown_for_others(self, node: TreeNode) -> bool:
        """Return whether *node* is shown only because nodes below it match."""
        return self._shown is not None and not self._is_match(node)

    def children(self, node: TreeNode) -> list[TreeNode]:
        """Return the shown children of *node*, in order; sorted on first access."""
        found = self._children.get(id(node))
        if found is None:
            found = self._children[id(node)] = self._ordered(node.children)
        return found

    def has_children(self, node: TreeNode) -> bool:
        """Return whether children of *node* can be shown."""
        return any(self._shown is None or id(child) in self._shown for child in node.children)

    def _visible(self, nodes: Iterable[TreeNode]) -> Iterator[TreeNode]:
        for node in nodes:
            yield node
            if node.children and self.is_open(node):
                yield from self._visible(self.children(node))

    def _ordered(self, nodes: Iterable[TreeNode]) -> list[TreeNode]:
        shown = self._shown
        return self._search.sorted(each for each in nodes if shown is None or id(each) in shown)

    def _matching(self, roots: Iterable[TreeNode]) -> set[int]:
        """Return the identities of matching nodes, and of those above them."""
        found: set[int] = set()
        for root in roots:
            for node in root.walk():
                if self._is_match(node):
                    above: TreeNode | None = node
                    while above is not None and id(above) not in found:
                        found.add(id(above))
                        above = above.parent
        return found

    def _is_match(self, node: TreeNode) -> bool:
        search = self._search
        if node.view is not None:
            return search.matches(node.view)
        # A cohort has neither a cohort of its queues nor a state.
        return not (search.cohort or search.state) and search.q.casefold() in node.name.casefold()


def tree_rows(
    path: str,
    query: QueryDict,
    tree: QueueTree,
    nodes: Sequence[TreeNode],
    columns: Sequence[Column],
    resource: str,
    fresh: Freshness,
) -> tuple[TreeRow, ...]:
    """
    Return the rows of *nodes*, a page of the visible ones of *tree*.

    The nodes above the first one come before it, so that every row is below its parent.
    """
    above: list[TreeNode] = []
    at = nodes[0].parent if nodes else None
    while at is not None:
        above.insert(0, at)
        at = at.parent
    rows = [(each, True) for each in above] + [(each, False) for each in nodes]
    return tuple(
        _row(path, query, tree, node, columns, resource, fresh, is_repeated=is_repeated)
        for node, is_repeated in rows
    )


def sum_columns(policy: Policy) -> tuple[Column, ...]:
    """Return the columns of the discipline of *policy* whose amounts are sums."""
    columns = {each.key: each for each in load_discipline(policy.discipline).columns()}
    return tuple(columns[key] for key in _SUMS if key in columns)


def resources_of(roots: Iterable[TreeNode]) -> tuple[str, ...]:
    """Return the resources of the trees, GPUs first."""
    found = dict.fromkeys(resource for root in roots for resource in root.sums)
    return tuple(sorted(found, key=lambda resource: not is_gpu(resource)))


def resource_links(
    path: str, query: QueryDict, resources: Sequence[str], chosen: str
) -> tuple[Link, ...]:
    """Return links to the amounts of each resource; empty if there is only one."""
    if len(resources) < 2:
        return ()
    return tuple(
        Link(
            title=resource_name(each),
            url=with_query(path, query, resource=None if each == resources[0] else each),
            is_current=each == chosen,
        )
        for each in resources
    )


def level_links(path: str, query: QueryDict, tree: QueueTree) -> tuple[Link, ...]:
    """Return links that unfold whole levels; empty if there is only one."""
    plain = query.copy()
    for name in ("open", "fold", "cursor"):
        plain.pop(name, None)
    depth = min(tree.depth, MOST_LEVELS)
    is_plain = not ("open" in query or "fold" in query)
    levels = [*range(1, min(depth, 4)), depth] if depth > 1 else []
    return tuple(
        Link(
            title="all" if each == depth else str(each),
            url=with_query(path, plain, levels=str(each)),
            is_current=is_plain and (each == tree.levels or (each == depth < tree.levels)),
        )
        for each in levels
    )


def _row(
    path: str,
    query: QueryDict,
    tree: QueueTree,
    node: TreeNode,
    columns: Sequence[Column],
    resource: str,
    fresh: Freshness,
    *,
    is_repeated: bool,
) -> TreeRow:
    siblings = tree.siblings(node)
    is_parent = tree.has_children(node)
    is_open = is_parent and tree.is_open(node)
    name, view = node.name, node.view
    prefix = f"{node.parent.name}." if node.parent is not None else ""
    parent = prefix if prefix and name.startswith(prefix) else ""
    usages = [usage for usage in node.usages if usage.resource == resource]
    tightest = max(usages, key=lambda usage: usage.pressure, default=None)
    state = state_of(view) if view else ""
    total = node.sums.get(resource)
    return TreeRow(
        node=node,
        key=f"{'q' if view else 'c'}{name.encode().hex()}",
        parent=parent,
        leaf=name.removeprefix(parent),
        page="queue" if view else "cohort",
        state=state,
        state_title=STATE_TITLES.get(state, ""),
        level=node.depth + 1,
        size=len(siblings),
        place=siblings.index(node) + 1,
        is_parent=is_parent,
        is_open=is_open,
        toggle_url=_toggle_url(path, query, tree, node, is_open=is_open) if is_parent else "",
        is_repeated=is_repeated,
        is_above=tree.is_shown_for_others(node),
        bar=bar_of(tightest, draining=bool(view and view.draining), fresh=fresh)
        if tightest
        else None,
        cells=cells_of(total, columns)
        if total
        else tuple(CapacityCell(label=each.title.lower(), text="—") for each in columns),
    )


def _toggle_url(
    path: str, query: QueryDict, tree: QueueTree, node: TreeNode, *, is_open: bool
) -> str:
    """Return the address in which *node* alone is folded or unfolded."""
    found = query.copy()
    toggled: Mapping[str, list[str]] = {
        name: [each for each in found.getlist(name) if each != node.name]
        for name in ("open", "fold")
    }
    is_of_level = node.depth + 1 < tree.levels
    if is_open == is_of_level:
        # The level alone would show the opposite; otherwise its name need not be in the address.
        toggled["fold" if is_open else "open"].append(node.name)
    for name, names in toggled.items():
        found.pop(name, None)
        if names:
            found.setlist(name, names[-MOST_TOGGLED:])
    return with_query(path, found, levels=str(tree.levels))
