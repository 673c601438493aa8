/* Diagnostics in the editor: marks in gutter and text, a list, navigation and quick fixes. */
"use strict";

window.Problems = class {
  #editor;
  #list;
  #count;
  #template;
  #all;
  #markers = [];
  #problems = [];
  #current = -1;

  constructor(editor, form) {
    this.#editor = editor;
    this.#list = form.querySelector("[data-problems]");
    this.#count = form.querySelector("[data-problem-count]");
    this.#all = form.querySelector("[data-fix-all]");
    this.#template = document.getElementById("problem-template");
  }

  #range(span) {
    return window.Places.range(this.#editor.session, span);
  }

  show(problems) {
    this.#problems = problems;
    this.#current = -1;
    const { session } = this.#editor;
    for (const id of this.#markers) session.removeMarker(id);
    this.#markers = problems.map((problem) => {
      const range = this.#range(problem.range);
      if (range.isEmpty()) range.end.column += 1;
      const kind = problem.severity === "error" ? "problem-mark problem-mark--error" : "problem-mark";
      return session.addMarker(range, kind, "text", false);
    });
    session.setAnnotations(
      problems.map((problem) => ({
        row: problem.range.line - 1,
        column: problem.range.column - 1,
        text: `${problem.code} ${problem.message}`,
        type: problem.severity,
      })),
    );
    this.#list.replaceChildren(this.#body());
    const count = (severity) => problems.filter((problem) => problem.severity === severity).length;
    const parts = [];
    for (const [severity, word] of [["error", "error"], ["warning", "warning"], ["info", "note"]]) {
      const number = count(severity);
      if (number) parts.push(`${number} ${word}${number === 1 ? "" : "s"}`);
    }
    const text = parts.join(", ") || "None";
    if (this.#count.textContent !== text) window.announce(`Problems: ${text}`);
    this.#count.textContent = text;
    this.#offerAll(problems.filter(({ fixes }) => fixes.length === 1).length);
  }

  // Fixes that are a choice of several are left to the reader.
  #offerAll(number) {
    if (!this.#all) return;
    this.#all.hidden = number === 0;
    this.#all.textContent = `Fix all ${number}`;
  }

  fail(sentence) {
    this.#count.textContent = "Checks are paused";
    this.#list.replaceChildren(this.#sentence(sentence));
  }

  #sentence(text) {
    const paragraph = document.createElement("p");
    paragraph.className = "panel__body";
    paragraph.textContent = text;
    return paragraph;
  }

  #body() {
    if (!this.#problems.length) return this.#sentence("No problems: this text can be applied.");
    const list = document.createElement("ol");
    list.className = "problems";
    list.append(...this.#problems.map((problem, index) => this.#item(problem, index)));
    return list;
  }

  #item(problem, index) {
    const item = this.#template.content.cloneNode(true).firstElementChild;
    item.dataset.severity = problem.severity;
    item.id = `problem-${index}`;
    const use = item.querySelector("use");
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${problem.severity}`));
    item.querySelector(".problem__go").textContent = problem.message;
    item.querySelector(".problem__go").addEventListener("click", () => this.go(index));
    const hint = item.querySelector("[data-hint]");
    hint.textContent = problem.hint;
    hint.hidden = !problem.hint;
    const original = item.querySelector("[data-original]");
    original.hidden = !problem.original;
    original.querySelector("[data-text]").textContent = problem.original;
    const { line, column } = problem.range;
    const code = document.createElement("a");
    code.href = problem.doc_url;
    code.textContent = problem.code;
    item
      .querySelector(".problem__meta")
      .append(
        `${problem.severity} `,
        code,
        ` · line ${line}, column ${column}${problem.path ? ` · ${problem.path}` : ""}${problem.live ? " · from live data" : ""}`,
      );
    const fixes = item.querySelector(".problem__fixes");
    fixes.hidden = !problem.fixes.length;
    for (const fix of problem.fixes) {
      const button = document.createElement("button");
      button.className = "button";
      button.dataset.size = "small";
      button.type = "button";
      button.textContent = fix.title;
      button.addEventListener("click", () => this.#apply(fix));
      button.disabled = this.#editor.getReadOnly();
      fixes.append(button);
    }
    return item;
  }

  go(index) {
    const problem = this.#problems[index];
    if (!problem) return;
    this.#list.querySelector("[data-current]")?.removeAttribute("data-current");
    this.#current = index;
    const item = document.getElementById(`problem-${index}`);
    item.setAttribute("data-current", "");
    item.scrollIntoView({ block: "nearest" });
    const range = this.#range(problem.range);
    this.#editor.focus();
    this.#editor.selection.setRange(range);
    this.#editor.scrollToLine(range.start.row, true, false);
  }

  // F8 moves from the current problem or the cursor, so that the cursor never jumps far.
  step(by) {
    const count = this.#problems.length;
    if (!count) return;
    if (this.#current >= 0) {
      this.go((this.#current + by + count) % count);
      return;
    }
    const row = this.#editor.getCursorPosition().row + 1;
    const after = this.#problems.findIndex((problem) => problem.range.line >= row);
    this.go(by > 0 ? Math.max(after, 0) : (after <= 0 ? count : after) - 1);
  }

  // Applies a fix of the current problem if it is on the cursor's line, else of the first one there,
  // else of the first one about the object around the cursor.
  fix() {
    const row = this.#editor.getCursorPosition().row + 1;
    const has = (range) => range && range.line <= row && row <= range.end_line;
    const isHere = ({ fixes, range }) => fixes.length && has(range);
    const current = this.#problems[this.#current];
    const problem =
      current && isHere(current)
        ? current
        : this.#problems.find(isHere) ??
          this.#problems.find(({ fixes, scope }) => fixes.length && has(scope));
    if (problem) this.#apply(problem.fixes[0]);
    else window.announce("No fix for this line");
  }

  #apply(fix) {
    if (this.#editor.getReadOnly()) return;
    const ranges = fix.edits.map((edit) => [this.#range(edit.range), edit.new_text]);
    // From the end, so that earlier positions stay valid.
    ranges.sort(([a], [b]) => b.start.row - a.start.row || b.start.column - a.start.column);
    for (const [range, text] of ranges) this.#editor.session.replace(range, text);
    this.#editor.focus();
  }
};
