/* The outline of the text: objects by kind with problems and hits; a click moves the cursor. */
"use strict";

window.Outline = class {
  #editor;
  #body;
  #filter;
  #groups = [];
  #hits = new Map();
  #drawn = "";
  #gutter;
  #days = 0;

  constructor(editor, form) {
    this.#editor = editor;
    this.#gutter = new window.Gutter(editor);
    this.#body = form.querySelector("[data-outline]");
    this.#filter = form.querySelector("[data-outline-filter]");
    this.#filter.parentElement.hidden = false;
    this.#filter.addEventListener("input", () => this.#draw());
    // Enter would submit the form of the editor.
    this.#filter.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#body.querySelector("button")?.click();
    });
    this.#body.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-line]");
      if (button) window.Places.go(editor, Number(button.dataset.line), Number(button.dataset.column));
    });
    editor.selection.on("changeCursor", () => this.#markCurrent());
  }

  // Screen readers announce the outline when it is complete.
  setBusy(isBusy) {
    this.#body.setAttribute("aria-busy", String(isBusy));
  }

  show(groups) {
    this.#groups = groups;
    this.#draw();
    this.#gutter.show(this.#hitsByLine(), this.#days);
  }

  // Hits are counted less often than the outline is updated; the last counts stay until then.
  showHits(answer) {
    const note = this.#body.parentElement.querySelector("[data-hits-note]");
    note.hidden = answer.runs === null;
    if (answer.runs !== null) {
      const runs = window.countText(answer.runs);
      note.textContent = answer.runs
        ? `Workloads of the last ${answer.days} days by object, ${answer.is_complete ? `${runs} in total` : `${runs} read`}${answer.nowhere ? `; ${window.countText(answer.nowhere)} match no rule` : ""}.`
        : `No workloads in the last ${answer.days} days.`;
      this.#days = answer.days;
      this.#hits.clear();
      for (const group of answer.outline) {
        for (const entry of group.entries) {
          if (entry.hits !== null) this.#hits.set(this.#key(group, entry), entry.hits);
        }
      }
    }
    this.show(answer.outline);
  }

  #key(group, entry) {
    return `${group.kind}\n${group.kind === "rule" ? entry.title : entry.name}`;
  }

  #hitsByLine() {
    const found = new Map();
    for (const group of this.#groups) {
      for (const entry of group.entries) {
        const hits = this.#hits.get(this.#key(group, entry));
        if (hits !== undefined) found.set(entry.line, hits);
      }
    }
    return found;
  }

  #draw() {
    const wanted = this.#filter.value.trim().toLowerCase();
    const state = JSON.stringify([wanted, this.#groups, [...this.#hits]]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const parts = [];
    for (const group of this.#groups) {
      const entries = group.entries.filter((entry) => entry.title.toLowerCase().includes(wanted));
      if (!entries.length) continue;
      const title = document.createElement("h3");
      title.className = "outline__title";
      title.textContent = group.title;
      const count = document.createElement("span");
      count.className = "muted";
      count.textContent = ` ${group.entries.length + group.more}`;
      title.append(count);
      const list = document.createElement("ul");
      list.append(...entries.map((entry) => this.#item(group, entry)));
      parts.push(title, list);
    }
    if (!parts.length) {
      const nothing = document.createElement("p");
      nothing.className = "muted panel__body";
      nothing.textContent = wanted ? "No name matches the filter." : "No objects yet.";
      parts.push(nothing);
    }
    const focused = document.activeElement?.closest("[data-outline] button")?.dataset.key;
    this.#body.replaceChildren(...parts);
    if (focused) this.#body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    this.#markCurrent();
  }

  #item(group, entry) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "outline__entry";
    button.dataset.line = entry.line;
    button.dataset.column = entry.column;
    button.dataset.end = entry.end_line;
    button.dataset.key = `${group.kind} ${entry.title}`;
    const name = document.createElement("span");
    name.className = "outline__name";
    name.textContent = entry.title;
    button.append(name);
    const hits = this.#hits.get(this.#key(group, entry));
    if (hits !== undefined) {
      const count = document.createElement("span");
      count.className = "outline__hits";
      count.textContent = window.countText(hits);
      const unit = document.createElement("span");
      unit.className = "visually-hidden";
      unit.textContent = hits === 1 ? " workload" : " workloads";
      count.append(unit);
      button.append(count);
    }
    if (entry.severity) {
      const dot = document.createElement("span");
      dot.className = "outline__dot";
      dot.dataset.severity = entry.severity;
      const word = document.createElement("span");
      word.className = "visually-hidden";
      word.textContent = ` has ${entry.severity === "info" ? "a note" : `a problem: ${entry.severity}`}`;
      dot.append(word);
      button.append(dot);
    }
    item.append(button);
    return item;
  }

  #markCurrent() {
    const line = this.#editor.getCursorPosition().row + 1;
    let current = null;
    for (const button of this.#body.querySelectorAll("button[data-line]")) {
      button.removeAttribute("aria-current");
      if (Number(button.dataset.line) <= line && line <= Number(button.dataset.end)) current ??= button;
    }
    current?.setAttribute("aria-current", "true");
  }
};
