"""The difference view of two configs: by meaning, as text, side by side, or with defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.http import QueryDict

from console.dialects.objects import compare_policies, effective_text, flows_between, vocabulary_of
from console.engine.diff import Change, Flows
from console.engine.diff.objects import Vocabulary
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import rules_of
from console.pages.presenters.configs.changes import (
    GROUPS,
    MOST_CHANGES,
    ChangeChip,
    ChangeGroup,
    change_chips,
    change_groups,
    risk_line,
    span_of,
    unfold_groups,
)
from console.pages.presenters.configs.text_diff import (
    PAGE_ROWS,
    DiffLine,
    SplitLine,
    diff_page,
    split_page,
)
from console.pages.presenters.configs.unfolded import Unfolded, unfolded_of
from console.pages.presenters.lists.addresses import Pager, with_query

#: Parameter with the number of rows, or of changes of each kind, before a page.
_START = "from"


class View(StrEnum):
    """Views of a difference; the values are used in addresses."""

    MEANING = "meaning"
    TEXT = "text"
    SPLIT = "split"
    EFFECTIVE = "effective"


_TITLES = {
    View.MEANING: "Meaning",
    View.TEXT: "Text",
    View.SPLIT: "Side by side",
    View.EFFECTIVE: "With defaults",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two configs: title, text, and policy unless the text has errors."""

    title: str
    text: str
    policy: Policy | None
    #: The page that shows the text with line anchors; empty: there is none.
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """The link to one view."""

    title: str
    url: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Data of the template `configs/_difference.html`."""

    view: View
    tabs: tuple[Tab, ...]
    old: Side
    new: Side
    chips: tuple[ChangeChip, ...]
    risk: str
    #: Only in the view by meaning.
    groups: tuple[ChangeGroup, ...] = ()
    #: Note that flows between rules may be missing; empty if the list is complete.
    caveat: str = ""
    rows: tuple[DiffLine, ...] = ()
    split: tuple[SplitLine, ...] = ()
    #: In the views of text: whether lines that differ only in white space are hidden, and the
    #: URL that toggles this.
    ignores_space: bool = False
    space_url: str = ""
    pager: Pager

    @property
    def has_meaning(self) -> bool:
        """Whether both texts are valid configs, so that their meaning can be compared."""
        return self.old.policy is not None and self.new.policy is not None

    @property
    def is_same_text(self) -> bool:
        """Whether the texts are equal, including white space."""
        return self.old.text == self.new.text


def difference_of(
    path: str,
    query: QueryDict,
    old: Side,
    new: Side,
    history: Callable[[], History] | None = None,
) -> Difference:
    """
    Return the difference between *old* and *new* with the options in *query*.

    ``diff`` is the view, ``space=hide`` hides lines that differ only in white space, ``open`` shows
    unchanged lines, ``from`` is the start of a page of a long difference, and ``groups`` has the
    kinds of objects whose changes are unfolded. With *history*, which is read only if needed, the
    view by meaning lists the recorded workloads that change their rule.
    """
    view = _view(query.get("diff", ""))
    ignores_space = query.get("space") == "hide"
    changes: tuple[Change, ...] = ()
    flows = Flows()
    if old.policy is not None and new.policy is not None:
        changes = compare_policies(old.policy, new.policy)
        if view is View.MEANING and changes:
            recorded = history() if history is not None and rules_of(old.policy) else None
            flows = flows_between(old.policy, new.policy, recorded)
    else:
        view = view if view is View.SPLIT else View.TEXT
    start = start_of(query)
    unfolded = unfolded_of(path, query)
    rows, split, total = _text_rows(
        view, old, new, start, ignores_space=ignores_space, unfolded=unfolded
    )
    step = PAGE_ROWS
    if view is View.MEANING:
        step, total = MOST_CHANGES, max(Counter(each.noun for each in changes).values(), default=0)
    start = start if start < total else 0
    vocabulary = vocabulary_of(new.policy.dialect) if new.policy is not None else Vocabulary()
    return Difference(
        view=view,
        tabs=_tabs(path, query, view, may_read=bool(old.policy and new.policy)),
        old=old,
        new=new,
        chips=change_chips(changes, vocabulary),
        risk=risk_line(changes, flows),
        groups=unfold_groups(_groups(view, old, new, changes, flows, start), query.get(GROUPS)),
        caveat="" if flows.is_exact else _CAVEAT,
        rows=tuple(rows),
        split=tuple(split),
        ignores_space=ignores_space,
        space_url=with_query(
            path, query, space=None if ignores_space else "hide", **{_START: None}
        ),
        pager=_pager(path, query, start, step, total),
    )


_CAVEAT = (
    "The rules overlap too much to list every kind of workload that changes its rule. "
    "Recorded workloads are listed completely; the impact page shows all of them."
)


def _view(given: str) -> View:
    try:
        return View(given)
    except ValueError:
        return View.MEANING


def start_of(query: QueryDict) -> int:
    """Return the number of rows, or of changes of each kind, before the page of *query*."""
    text = query.get(_START, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def row_pager(path: str, query: QueryDict, start: int, total: int) -> Pager:
    """Return the links from the page of a diff of *total* rows that begins at *start*."""
    return _pager(path, query, start if start < total else 0, PAGE_ROWS, total)


def _pager(path: str, query: QueryDict, start: int, step: int, total: int) -> Pager:
    """Return the pager of a difference of *total* rows, or changes of its most frequent kind."""
    more = f"{start + step}" if start + step < total else ""
    return Pager(
        first_url=with_query(path, query, **{_START: None}) if start else "",
        next_url=with_query(path, query, **{_START: more}) if more else "",
        note=span_of(start, min(step, total - start), total),
    )


def _text_rows(
    view: View, old: Side, new: Side, start: int, *, ignores_space: bool, unfolded: Unfolded
) -> tuple[list[DiffLine], list[SplitLine], int]:
    """Return the rows of a text view, the rows of the split view, and the total number of rows."""
    if view is View.TEXT:
        rows, total = diff_page(
            old.text, new.text, start, ignore_space=ignores_space, unfolded=unfolded
        )
        return rows, [], total
    if view is View.SPLIT:
        split, total = split_page(
            old.text, new.text, start, ignore_space=ignores_space, unfolded=unfolded
        )
        return [], split, total
    if view is View.EFFECTIVE and old.policy is not None and new.policy is not None:
        rows, total = diff_page(
            effective_text(old.policy), effective_text(new.policy), start, unfolded=unfolded
        )
        return rows, [], total
    return [], [], 0


def _groups(
    view: View, old: Side, new: Side, changes: tuple[Change, ...], flows: Flows, start: int
) -> tuple[ChangeGroup, ...]:
    if view is not View.MEANING or old.policy is None or new.policy is None:
        return ()
    return change_groups(changes, flows, old.policy, new.policy, start)


def _tabs(path: str, query: QueryDict, view: View, *, may_read: bool) -> tuple[Tab, ...]:
    views = tuple(View) if may_read else (View.TEXT, View.SPLIT)
    return tuple(
        Tab(
            title=_TITLES[each],
            url=with_query(path, query, diff=each.value, **{_START: None}),
            is_current=each is view,
        )
        for each in views
    )
