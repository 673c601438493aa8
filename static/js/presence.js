/* Who is at the draft: says so every few seconds, shows others, and stops when somebody takes over. */
"use strict";

window.Presence = class {
  static EVERY = 10000;

  #form;
  #ask;
  #status;
  #lost;
  #mayEdit;
  #known = "";

  constructor(form, ask, { lost }) {
    this.#form = form;
    this.#ask = ask;
    this.#lost = lost;
    this.#mayEdit = !("readOnly" in form.dataset);
    this.#status = document.querySelector("[data-presence]");
    setInterval(() => this.visit(), window.Presence.EVERY);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.visit();
    });
    // A form leads on in the same draft: leaving it then could undo what the form did.
    let sent = false;
    document.addEventListener("submit", () => {
      sent = true;
    });
    addEventListener("pagehide", () => {
      if (!sent) this.#leave();
    });
    this.visit();
  }

  async visit() {
    if (!this.#form.dataset.visitUrl) return;
    try {
      const answer = await this.#ask("visit", {});
      if (answer.status === 404) {
        this.#lost((await answer.json()).detail, "gone");
        return;
      }
      if (answer.ok) this.#show(await answer.json());
    } catch (error) {
      // The saver and the checks say that the server does not answer.
      this.#known = "";
    }
  }

  #show({ editor, others, revision }) {
    const parts = [];
    if (editor) parts.push(`${editor.name} edits`);
    if (others.length) parts.push(`${others.join(", ")} ${others.length === 1 ? "views" : "view"} this draft`);
    const text = parts.join(" · ");
    if (text !== this.#known) {
      this.#known = text;
      this.#status.textContent = text;
      if (text) window.announce(text);
    }
    if (editor && this.#mayEdit) {
      this.#mayEdit = false;
      this.#lost(`${editor.name} edits this draft now.`, "taken");
    }
    if (!("readOnly" in this.#form.dataset)) return;
    // Nothing is exchanged under the eyes of whoever looks on: they ask for it.
    const isNewer = revision !== Number(this.#form.elements.namedItem("revision").value);
    const isFree = !editor && "mayTake" in this.#form.dataset;
    const news = document.querySelector("[data-news]");
    news.hidden = !isNewer && !isFree;
    news.querySelector("span").textContent = isFree ? "This draft is free to edit." : "A newer text is saved.";
  }

  // The next one need not wait until the visit lapses.
  #leave() {
    if (this.#form.dataset.leaveUrl) this.#ask("leave", {}, { keepalive: true });
  }
};
