/* The config editor: replaces the textarea by ACE, and connects checks, saves, outline and help. */
"use strict";

(() => {
  const form = document.querySelector("[data-editor]");
  if (!form || !window.ace) return;

  const CHECK_AFTER = 100;
  const CHECK_AGAIN = 5000;
  const HITS_AFTER = 1500;
  const area = form.elements.namedItem("text");
  const readOnly = "readOnly" in form.dataset;

  // Style sheets are linked, because the content security policy forbids inline styles.
  ace.config.set("useStrictCSP", true);
  // ACE loads its dialogs when they are first opened.
  ace.config.set("basePath", form.dataset.ace);
  ace.config.set("loadWorkerFromBlob", false);
  const host = document.createElement("div");
  host.className = "editor__ace";
  area.before(host);
  area.hidden = true;
  const editor = ace.edit(host, {
    // Set before the mode, which would start its worker at once.
    useWorker: false,
    mode: "ace/mode/yaml",
    value: area.value,
    readOnly,
    tabSize: 2,
    useSoftTabs: true,
    fontSize: 13,
    showPrintMargin: false,
    highlightActiveLine: true,
    enableKeyboardAccessibility: false,
    // ACE appends the row of the cursor.
    textInputAriaLabel: "Config text; Tab leaves the editor",
    scrollPastEnd: 0.2,
  });
  editor.session.setNewLineMode("unix");
  editor.session.setUndoManager(new ace.UndoManager());
  // Tab leaves the editor, so that keyboard users are not trapped; brackets indent instead.
  editor.commands.bindKey("Tab", null);
  editor.commands.bindKey("Shift-Tab", null);
  form.querySelector("[data-tab-hint]").hidden = false;
  // A new line is indented for its keys: in the item of a list, or below a key without a value.
  editor.session.getMode().getNextLineIndent = (state, line, tab) => {
    const [, indent, dashes, rest] = /^(\s*)((?:-\s+)*)(.*)$/.exec(line);
    const isMapping = /^[^#]*?:(\s|$)/.test(rest);
    const at = isMapping ? indent + " ".repeat(dashes.length) : indent;
    return /(:|[[{(])\s*$/.test(rest) ? at + tab : at;
  };

  const language = form.elements.namedItem("dialect");
  const state = () => ({ dialect: language.value, text: editor.getValue() });
  const problems = new window.Problems(editor, form);
  const outline = new window.Outline(editor, form);
  const requests = new window.EditorRequests(form, state, (busy) => outline.setBusy(busy));
  const ask = (...request) => requests.send(...request);
  const saver = new window.DraftSaver(form, state, ask);
  const assist = new window.Assist(editor, form, (name, body) =>
    requests.inTurn(() => ask(name, body)),
  );

  // If a pasted text looks like another dialect, a button switches the dialect.
  const notice = form.querySelector("[data-likely]");
  const other = notice.querySelector("button");
  const suggest = (likely) => {
    notice.hidden = !likely || readOnly;
    if (!likely) return;
    other.value = likely.name;
    other.textContent = `Switch to ${likely.title}`;
  };
  other.addEventListener("click", (event) => {
    event.preventDefault();
    language.value = other.value;
    language.dispatchEvent(new Event("change"));
    editor.focus();
  });

  const reference = form.querySelector("[data-reference-link]");
  language.addEventListener("change", () => {
    reference.href = language.selectedOptions[0].dataset.reference;
    reference.hidden = !language.selectedOptions[0].dataset.reference;
  });

  let timer = 0;
  let hitsTimer = 0;
  let changedAt = -Infinity;
  const review = form.querySelector('button[value="review"]');
  const check = requests.latest(
    "check",
    (result) => {
      problems.show(result.diagnostics);
      outline.show(result.outline);
      suggest(result.likely);
      if (review) review.disabled = false;
      // Hits are counted during a pause in typing.
      clearTimeout(hitsTimer);
      hitsTimer = setTimeout(countHits, Math.max(0, changedAt + HITS_AFTER - performance.now()));
    },
    (seconds) => {
      problems.fail(
        seconds
          ? `The server is busy. Next check in ${seconds} s.`
          : "The server does not answer, so this text is not checked. Retrying.",
      );
      if (review) review.disabled = true;
      timer = setTimeout(check, seconds ? seconds * 1000 : CHECK_AGAIN);
    },
  );
  const countHits = requests.latest(
    "hits",
    (result) => outline.showHits(result),
    (seconds) => {
      if (seconds) hitsTimer = setTimeout(countHits, seconds * 1000);
    },
  );

  // All obvious fixes are one step for undo; lines without a change keep their folds and marks.
  const fixed = form.querySelector("[data-fixed]");
  const apply = (text) => {
    const before = editor.getValue();
    let start = 0;
    while (start < before.length && start < text.length && before[start] === text[start]) start += 1;
    let end = 0;
    const most = Math.min(before.length, text.length) - start;
    while (end < most && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    const { session } = editor;
    const { doc } = session;
    const range = ace.Range.fromPoints(doc.indexToPosition(start), doc.indexToPosition(before.length - end));
    session.mergeUndoDeltas = false;
    session.replace(range, text.slice(start, text.length - end));
    editor.focus();
  };
  const fixAll = requests.latest(
    "fixAll",
    (result) => {
      if (result.count && !editor.getReadOnly()) apply(result.text);
      fixed.textContent = result.said;
    },
    (seconds) => {
      fixed.textContent = seconds
        ? `The server is busy. Fix all again in ${seconds} s.`
        : "The server does not answer, so nothing was fixed.";
    },
  );
  form.querySelector("[data-fix-all]")?.addEventListener("click", (event) => {
    event.preventDefault();
    fixAll();
  });

  const changed = () => {
    // A pending response is about lines that have moved since.
    countHits.forget();
    fixAll.forget();
    fixed.textContent = "";
    clearTimeout(timer);
    clearTimeout(hitsTimer);
    timer = setTimeout(check, CHECK_AFTER);
    changedAt = performance.now();
    assist.refresh();
    saver.changed();
  };
  editor.session.on("change", changed);
  language.addEventListener("change", changed);
  form.elements.namedItem("title").addEventListener("input", () => saver.changed());

  const command = (name, key, exec) => editor.commands.addCommand({ name, bindKey: key, exec, readOnly: true });
  command("nextProblem", "F8", () => problems.step(1));
  command("previousProblem", "Shift-F8", () => problems.step(-1));
  command("fixProblem", { win: "Ctrl-.", mac: "Command-." }, () => problems.fix());
  command("fixAll", { win: "Ctrl-Shift-.", mac: "Command-Shift-." }, () => {
    if (!editor.getReadOnly()) fixAll();
  });
  command("saveDraft", { win: "Ctrl-S", mac: "Command-S" }, () => saver.save());
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "F8") problems.step(event.shiftKey ? -1 : 1);
    else if (event.key === "." && (event.ctrlKey || event.metaKey)) problems.fix();
    else return;
    event.preventDefault();
  });

  new window.Presence(form, ask, {
    lost: (sentence, kind) => {
      editor.setReadOnly(true);
      saver.stop(sentence, kind);
    },
  });

  form.addEventListener("submit", () => (area.value = editor.getValue()));
  for (const button of form.querySelectorAll('button[value="check"], button[value="save"]')) {
    button.hidden = true;
  }
  // On a narrow screen, the text comes first, and the outline opens on demand.
  if (matchMedia("(width < 1000px)").matches) form.querySelector("[data-outline-panel]").open = false;
  const at = /^#L(\d+)$/.exec(location.hash);
  if (at) window.Places.go(editor, Number(at[1]), 1);
  check();
})();
