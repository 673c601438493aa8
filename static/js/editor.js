/* The config editor: ACE in place of the textarea, checks while typing, an autosaved draft. */
"use strict";

(() => {
  const form = document.querySelector("[data-editor]");
  if (!form || !window.ace) return;

  const CHECK_AFTER = 250;
  const area = form.elements.namedItem("text");
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json",
    "X-CSRFToken": form.elements.namedItem("csrfmiddlewaretoken").value,
  };

  // Style sheets are linked: the policy of the site allows no inline ones.
  ace.config.set("useStrictCSP", true);
  ace.config.set("loadWorkerFromBlob", false);
  const host = document.createElement("div");
  host.className = "editor__ace";
  area.before(host);
  area.hidden = true;
  const editor = ace.edit(host, {
    // Before the mode, which would start its worker at once.
    useWorker: false,
    mode: "ace/mode/yaml",
    value: area.value,
    tabSize: 2,
    useSoftTabs: true,
    fontSize: 13,
    showPrintMargin: false,
    highlightActiveLine: true,
    enableKeyboardAccessibility: false,
    // The editor adds the row of the cursor to it.
    textInputAriaLabel: "Config text; press Escape, then Tab, to leave",
    scrollPastEnd: 0.2,
  });
  editor.session.setNewLineMode("unix");
  editor.session.setUndoManager(new ace.UndoManager());
  form.querySelector("[data-tab-hint]").hidden = false;

  const text = () => editor.getValue();
  const problems = new window.Problems(editor, form);
  const saver = new window.DraftSaver(form, text, headers);

  // A text pasted in another language is one click away from being read in it.
  const language = form.elements.namedItem("dialect");
  const notice = form.querySelector("[data-likely]");
  const other = notice.querySelector("button");
  const suggest = (likely) => {
    notice.hidden = !likely;
    if (!likely) return;
    other.value = likely.name;
    other.textContent = `Read it as ${likely.title}`;
  };
  other.addEventListener("click", (event) => {
    event.preventDefault();
    language.value = other.value;
    language.dispatchEvent(new Event("change"));
    editor.focus();
  });

  let sent = 0;
  let shown = 0;
  const check = async () => {
    const seq = (sent += 1);
    try {
      const answer = await fetch(form.dataset.checkUrl, {
        method: "POST",
        headers,
        body: JSON.stringify({ seq, dialect: language.value, text: text() }),
        signal: AbortSignal.timeout(10000),
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const result = await answer.json();
      // An answer about an older text must not replace a newer one.
      if (result.seq <= shown || result.seq < sent) return;
      shown = result.seq;
      problems.show(result.diagnostics);
      suggest(result.likely);
    } catch (error) {
      if (seq === sent) {
        problems.fail("The server does not answer, so this text is not checked. It is checked again as you type.");
      }
    }
  };

  let timer = 0;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(check, CHECK_AFTER);
    saver.changed();
  };
  editor.session.on("change", changed);
  language.addEventListener("change", changed);

  // Escape arms Tab to leave the editor, so that the keyboard is not trapped in it.
  let leaving = false;
  editor.container.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") leaving = true;
      else if (event.key === "Tab" && leaving) {
        event.stopPropagation();
        leaving = false;
      } else if (event.key !== "Shift") leaving = false;
    },
    true,
  );

  const command = (name, key, exec) => editor.commands.addCommand({ name, bindKey: key, exec });
  command("nextProblem", "F8", () => problems.step(1));
  command("previousProblem", "Shift-F8", () => problems.step(-1));
  command("saveDraft", { win: "Ctrl-S", mac: "Command-S" }, () => saver.save());
  document.addEventListener("keydown", (event) => {
    if (event.key === "F8" && !event.defaultPrevented) {
      event.preventDefault();
      problems.step(event.shiftKey ? -1 : 1);
    }
  });

  form.addEventListener("submit", () => {
    area.value = text();
  });
  for (const button of form.querySelectorAll('button[value="check"], button[value="save"]')) {
    button.hidden = true;
  }
  check();
})();
