/* Saves the draft on the server while its author types, one save at a time, and says so. */
"use strict";

window.DraftSaver = class {
  #form;
  #status;
  #text;
  #headers;
  #timer = 0;
  #busy = false;
  #stopped = false;
  #saved;
  #savedAt = 0;

  constructor(form, text, headers) {
    this.#form = form;
    this.#status = form.querySelector("[data-saved]");
    this.#text = text;
    this.#headers = headers;
    this.#saved = this.#state();
    setInterval(() => this.#tell(), 1000);
    addEventListener("beforeunload", (event) => {
      if (this.#isUnsaved() && !form.dataset.sent) event.preventDefault();
    });
  }

  #dialect() {
    return this.#form.elements.namedItem("dialect").value;
  }

  #title() {
    return this.#form.elements.namedItem("title").value;
  }

  #state() {
    return `${this.#dialect()}\n${this.#title()}\n${this.#text()}`;
  }

  #isUnsaved() {
    return !this.#stopped && this.#state() !== this.#saved;
  }

  #tell(sentence) {
    if (this.#stopped && !sentence) return;
    let text = sentence;
    if (!text && this.#isUnsaved()) text = this.#busy ? "Saving…" : "Not saved yet";
    if (!text && this.#savedAt) {
      const seconds = Math.round((Date.now() - this.#savedAt) / 1000);
      text = seconds < 60 ? `Draft saved ${seconds} s ago` : `Draft saved ${Math.floor(seconds / 60)} min ago`;
    }
    if (text && this.#status.textContent !== text) this.#status.textContent = text;
  }

  changed() {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), 1200);
    this.#tell();
  }

  async save() {
    if (this.#stopped || !this.#isUnsaved()) return;
    if (this.#busy) {
      this.changed();
      return;
    }
    this.#busy = true;
    const state = this.#state();
    const field = (name) => this.#form.elements.namedItem(name);
    try {
      const answer = await fetch(this.#form.dataset.draftUrl, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify({
          dialect: this.#dialect(),
          text: this.#text(),
          base: Number(field("base").value),
          revision: Number(field("revision").value),
        }),
        signal: AbortSignal.timeout(15000),
      });
      if (answer.status === 409) {
        this.#conflict((await answer.json()).detail);
        return;
      }
      if (answer.status === 401) {
        this.#tell("Not saved: you are signed out. Sign in in another window, then go on typing here.");
        return;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      field("revision").value = (await answer.json()).revision;
      this.#saved = state;
      this.#savedAt = Date.now();
      this.#form.querySelector("[data-discard]").hidden = false;
      this.#tell();
    } catch (error) {
      this.#tell("Not saved: the server does not answer. Trying again.");
      this.#timer = setTimeout(() => this.save(), 5000);
    } finally {
      this.#busy = false;
      if (this.#isUnsaved()) this.changed();
    }
  }

  // Another window saved: nothing more is sent until a person has decided.
  #conflict(detail) {
    this.#stopped = true;
    this.#status.textContent = `Not saved: ${detail} `;
    const link = document.createElement("button");
    link.className = "link-button";
    link.name = "do";
    link.value = "save";
    link.textContent = "Compare the two texts";
    this.#status.append(link);
    this.#status.setAttribute("role", "alert");
  }
};
