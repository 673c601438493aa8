/* Editor help: completion, tooltips about keys, and the panel about the object at the cursor. */
"use strict";

window.Assist = class {
  #editor;
  #form;
  #ask;
  #panel;
  #sent = 0;
  #timer = 0;

  // `ask(name, body)` posts to one of the form's URLs and returns the response.
  constructor(editor, form, ask) {
    this.#editor = editor;
    this.#form = form;
    this.#ask = ask;
    this.#panel = form.querySelector("[data-context]");
    this.#complete();
    this.#hover();
    this.#panel.closest("[hidden]")?.removeAttribute("hidden");
    this.#panel.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-line]");
      if (button) window.Places.go(editor, Number(button.dataset.line), Number(button.dataset.column));
    });
    editor.selection.on("changeCursor", () => this.refresh());
    this.refresh();
  }

  #body(position) {
    return {
      dialect: this.#form.elements.namedItem("dialect").value,
      text: this.#editor.getValue(),
      ...window.Places.fromEditor(this.#editor.session, position),
    };
  }

  #complete() {
    const completer = {
      id: "schema",
      identifierRegexps: [/[^\s,[\]{}"'#]/],
      getCompletions: async (editor, session, position, prefix, done) => {
        try {
          const answer = await this.#ask("complete", this.#body(position));
          if (!answer.ok) throw new Error(`status ${answer.status}`);
          const { completions } = await answer.json();
          done(null, completions.map((each, index) => ({
            caption: each.label,
            value: each.insert,
            meta: each.kind,
            docText: each.lines.join("\n"),
            completerId: "schema",
            // After a key, the completions of its value are shown at once.
            command: each.insert.endsWith(": ") ? "startAutocomplete" : undefined,
            // Equally good matches keep the order of the schema.
            score: 1000 - index,
          })));
        } catch (error) {
          done(null, []);
        }
      },
      getDocTooltip: (item) => (item.docText ? { docText: item.docText } : null),
    };
    this.#editor.setOptions({
      enableBasicAutocompletion: [completer],
      enableLiveAutocompletion: !this.#editor.getReadOnly(),
      liveAutocompletionDelay: 60,
    });
    this.#editor.completers = [completer];
    // Enter may be pressed before the list is filtered by the last letters: it would insert an item
    // that matches the earlier letters, and leave the last letters in the text.
    const list = ace.require("ace/autocomplete").Autocomplete.for(this.#editor);
    const insert = list.insertMatch;
    list.insertMatch = (item, options) => {
      if (!item) list.updateCompletions(true);
      return list.activated && insert.call(list, item, options);
    };
  }

  #hover() {
    const { HoverTooltip } = ace.require("ace/tooltip");
    const tooltip = new HoverTooltip();
    tooltip.setDataProvider(async (event, editor) => {
      try {
        const answer = await this.#ask("explain", this.#body(event.getDocumentPosition()));
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const { help } = await answer.json();
        if (!help || !help.lines.length) return;
        const range = window.Places.range(editor.session, { ...help, end_line: help.line });
        tooltip.showForRange(editor, range, this.#card(help), event);
      } catch (error) {
        tooltip.hide();
      }
    });
    tooltip.addToEditor(this.#editor);
  }

  #card(help) {
    const card = document.createElement("div");
    card.className = "hover-card";
    if (help.title) {
      const title = document.createElement("strong");
      title.textContent = help.title;
      card.append(title);
    }
    for (const line of help.lines) {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      card.append(paragraph);
    }
    return card;
  }

  // The panel is updated when the cursor stops moving.
  refresh() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#showContext(), 350);
  }

  async #showContext() {
    const seq = (this.#sent += 1);
    try {
      const answer = await this.#ask("context", this.#body(this.#editor.getCursorPosition()));
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const html = await answer.text();
      if (seq !== this.#sent) return;
      // Rendered by the server's template, which escapes user input.
      const part = new DOMParser().parseFromString(html, "text/html").body;
      const shown = this.#panel.firstElementChild;
      if (!shown?.isEqualNode(part.firstElementChild)) this.#panel.replaceChildren(...part.childNodes);
    } catch (error) {
      if (seq === this.#sent) this.#panel.replaceChildren();
    }
  }
};
