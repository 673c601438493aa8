/*
 * Updates parts of a page in place: only texts and attributes change, so that focus, selection and
 * scroll position stay. Rows of a list appear, disappear or move only on the reader's request.
 */
"use strict";

window.Patch = class {
  /** Whether changes are delayed, because the reader uses the element. */
  owes = false;

  #latest = null;

  /** Updates every live region from *page*, a document. */
  update(page) {
    this.#latest = page;
    this.owes = false;
    for (const region of document.querySelectorAll("[data-live]:not([data-live-status])")) {
      const next = page.getElementById(region.id);
      if (next) this.#patch(region, next.cloneNode(true));
    }
  }

  /** Applies the delayed changes. */
  settle() {
    if (this.owes && this.#latest) this.update(this.#latest);
  }

  /** Shows the changed rows of the list of *bar*. */
  showRows(bar) {
    const list = document.getElementById(bar.dataset.rowsBar);
    const next = this.#latest?.getElementById(bar.dataset.rowsBar);
    if (!list || !next) return;
    list.replaceChildren(...next.cloneNode(true).children);
    bar.hidden = true;
    list.querySelector("a[data-row]")?.focus({ preventScroll: true });
  }

  /** Discards the last page, because the regions were replaced by other code. */
  forget() {
    this.#latest = null;
    this.owes = false;
  }

  // A focused field is not changed until it loses the focus.
  #isTheirs(node) {
    return node === document.activeElement && /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName);
  }

  // Elements that scripts fill, or that a shared response cannot contain.
  #isKept(node) {
    const { rowsBar, fetched, kept } = node.dataset ?? {};
    return [rowsBar, fetched, kept].some((value) => value !== undefined) || node.name === "csrfmiddlewaretoken";
  }

  #patch(node, next) {
    if (this.#isKept(node) || node.isEqualNode(next)) return;
    if (this.#isTheirs(node)) {
      this.owes = true;
      return;
    }
    if (this.#keepsOld(node, next)) return;
    for (const { name } of [...node.attributes]) {
      if (!next.hasAttribute(name) && name !== "open") node.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    if (node.dataset?.rows !== undefined) {
      this.#patchRows(node, next);
      return;
    }
    const mine = [...node.childNodes];
    const other = [...next.childNodes];
    const alike =
      mine.length === other.length &&
      mine.every((child, i) => child.nodeName === other[i].nodeName && (child.id || "") === (other[i].id || ""));
    if (!alike) {
      this.#rearrange(node, other);
      return;
    }
    mine.forEach((child, i) => {
      if (child.nodeType === Node.ELEMENT_NODE) this.#patch(child, other[i]);
      else if (child.nodeValue !== other[i].nodeValue) child.nodeValue = other[i].nodeValue;
    });
  }

  // A part that failed in this update keeps its old content, with a notice above it.
  #keepsOld(node, next) {
    const failed = next.querySelector(":scope > [data-failed]");
    if (!failed) return false;
    const told = node.querySelector(":scope > [data-failed]");
    if (told) told.replaceWith(failed);
    else node.prepend(failed);
    return true;
  }

  // Elements with an id are kept and patched; others are replaced, unless they have the focus.
  #rearrange(node, other) {
    const kept = new Map([...node.children].filter((child) => child.id).map((child) => [child.id, child]));
    const children = other.map((child) => {
      const mine = kept.get(child.id);
      if (!mine) return child;
      this.#patch(mine, child);
      return mine;
    });
    if (node.contains(document.activeElement)) {
      this.owes = true;
      return;
    }
    node.replaceChildren(...children);
    // New elements may load more content with htmx.
    window.htmx?.process(node);
  }

  #patchRows(list, next) {
    const fresh = new Map([...next.children].map((row) => [row.id, row]));
    const before = [...list.children].map((row) => row.id);
    const added = [...fresh.keys()].filter((id) => !before.includes(id)).length;
    // Rows at the end that are pushed to the next page by new rows are not removed rows.
    const pushed = before.length - 1 - before.findLastIndex((id) => fresh.has(id));
    const end = pushed <= added ? before.length - pushed : before.length;
    let gone = 0;
    [...list.children].forEach((row, i) => {
      const now = fresh.get(row.id);
      if (now) this.#patch(row, now);
      row.toggleAttribute("data-gone", !now && i < end);
      if (!now && i < end) gone += 1;
    });
    const kept = before.filter((id) => fresh.has(id));
    const moved = [...fresh.keys()].filter((id) => before.includes(id)).some((id, i) => kept[i] !== id);
    const bar = document.querySelector(`[data-rows-bar="${CSS.escape(list.id)}"]`);
    if (!bar) return;
    const parts = [];
    if (added) parts.push(`${added} new`);
    if (gone) parts.push(`${gone} removed`);
    if (moved) parts.push("order changed");
    bar.querySelector("[data-rows-text]").textContent = parts.join(" · ");
    if (bar.hidden && parts.length) window.announce(parts.join(", "));
    bar.hidden = parts.length === 0;
  }
};
