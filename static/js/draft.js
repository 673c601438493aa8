/* Saves the draft during typing, one save at a time, and shows the result. */
"use strict";

window.DraftSaver = class {
  // Milliseconds without typing before a save, and before a failed save is retried.
  static AFTER = 1200;
  static AGAIN = 5000;

  #form;
  #status;
  #read;
  #ask;
  #timer = 0;
  #busy = false;
  #stopped = false;
  #sent = false;
  // The button of a submit that waits for the end of a save.
  #submitter = null;
  #saved;
  #savedAt = 0;
  // Why the last save failed; shown until a save succeeds.
  #trouble = "";

  // `read()` returns the dialect and the text; `ask(name, body)` posts to one of the form's URLs.
  constructor(form, read, ask) {
    this.#form = form;
    this.#status = form.querySelector("[data-saved]");
    this.#read = read;
    this.#ask = ask;
    this.#stopped = "readOnly" in form.dataset;
    this.#saved = this.#state();
    setInterval(() => this.#tell(), 1000);
    form.addEventListener("submit", (event) => this.#submit(event));
    addEventListener("beforeunload", (event) => {
      if (this.#isUnsaved() && !this.#sent) event.preventDefault();
    });
  }

  #field(name) {
    return this.#form.elements.namedItem(name);
  }

  #state() {
    const { dialect, text } = this.#read();
    return `${dialect}\n${this.#field("title").value}\n${text}`;
  }

  #isUnsaved() {
    return !this.#stopped && this.#state() !== this.#saved;
  }

  #tell() {
    if (this.#stopped) return;
    let text = this.#trouble;
    if (!text && this.#isUnsaved()) text = this.#busy ? "Saving…" : "Not saved yet";
    if (!text && this.#savedAt) {
      const seconds = Math.round((Date.now() - this.#savedAt) / 1000);
      text = seconds < 60 ? `Draft saved ${seconds} s ago` : `Draft saved ${Math.floor(seconds / 60)} min ago`;
    }
    if (text && this.#status.textContent !== text) this.#status.textContent = text;
  }

  // A save at the same time would make the submitted text look outdated.
  #submit(event) {
    clearTimeout(this.#timer);
    if (this.#busy) {
      event.preventDefault();
      this.#submitter = event.submitter;
    } else {
      this.#sent = true;
    }
  }

  changed() {
    this.#sent = false;
    this.#later(window.DraftSaver.AFTER);
  }

  #later(wait) {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), wait);
    this.#tell();
  }

  async save() {
    if (this.#stopped || !this.#isUnsaved()) return;
    if (this.#busy) {
      this.changed();
      return;
    }
    this.#busy = true;
    this.#tell();
    const state = this.#state();
    let trouble = "";
    try {
      const answer = await this.#ask(this.#form.dataset.saveUrl ? "save" : "begin", {
        ...this.#read(),
        title: this.#field("title").value,
        base: Number(this.#field("base").value),
        revision: Number(this.#field("revision").value),
      });
      if (answer.status === 409 || answer.status === 404) {
        const { code, detail } = await answer.json();
        this.stop(detail, code);
        return;
      }
      if (answer.ok) {
        this.#keep(await answer.json());
        this.#saved = state;
        this.#savedAt = Date.now();
      } else {
        trouble = await this.#reason(answer);
      }
    } catch (error) {
      trouble = "the server does not answer. Retrying.";
    } finally {
      this.#busy = false;
      this.#trouble = trouble && `Not saved: ${trouble}`;
      const submitter = this.#submitter;
      this.#submitter = null;
      if (submitter) {
        // A check may have disabled the button since; the form would then be sent without its value.
        submitter.disabled = false;
        this.#form.requestSubmit(submitter);
      } else if (this.#isUnsaved()) this.#later(trouble ? window.DraftSaver.AGAIN : window.DraftSaver.AFTER);
      this.#tell();
    }
  }

  async #reason(answer) {
    if (answer.status === 401) return "you are signed out. Sign in in another window, then continue here.";
    const isSaid = answer.headers.get("Content-Type")?.startsWith("application/json");
    return isSaid ? (await answer.json()).detail : "the server is temporarily unavailable. Retrying.";
  }

  // With the first save, a draft gets its own URL.
  #keep({ revision, page }) {
    this.#field("revision").value = revision;
    if (this.#form.dataset.saveUrl) return;
    for (const name of ["save", "visit", "leave"]) this.#form.dataset[`${name}Url`] = `${page}/${name}`;
    this.#form.action = page;
    history.replaceState(null, "", page);
    for (const node of document.querySelectorAll("[data-when-saved]")) node.hidden = false;
    for (const link of document.querySelectorAll("a[data-page]")) link.href = page + link.dataset.page;
    // The other tabs stay until those of the draft are here, so that nothing moves under the pointer.
    const tabs = document.querySelector("[data-tabs]");
    htmx.ajax("GET", page, { target: tabs, select: "nav[aria-label=Draft]" }).then(() => {
      if (!tabs.childElementCount) return;
      for (const node of document.querySelectorAll("[data-until-saved]")) node.hidden = true;
      tabs.hidden = false;
    });
  }

  // Another member edits the draft now: saves stop until the user decides.
  stop(detail, code) {
    if (this.#stopped) return;
    const isUnsaved = this.#isUnsaved();
    this.#stopped = true;
    this.#status.setAttribute("role", "alert");
    if (code === "taken" && !isUnsaved) {
      this.#status.textContent = `${detail} Your text is saved. `;
      const link = document.createElement("a");
      link.href = location.pathname;
      link.textContent = "View the current draft";
      this.#status.append(link);
      return;
    }
    this.#status.textContent = `Not saved: ${detail} `;
    const isGone = code === "not_found" || code === "gone" || !this.#form.dataset.saveUrl;
    this.#status.append(
      isGone ? this.#way("begin", "Keep my text as a new draft") : this.#way("save", "Compare both texts"),
    );
  }

  #way(verb, words) {
    const button = document.createElement("button");
    button.className = "link-button";
    button.name = "do";
    button.value = verb === "begin" ? "save" : verb;
    // The draft was deleted: the form creates a new draft.
    if (verb === "begin") button.formAction = this.#form.dataset.newUrl;
    button.textContent = words;
    return button;
  }
};
