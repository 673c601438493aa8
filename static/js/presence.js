/* Presence in a draft: reports the visit every few seconds, shows other visitors, and stops saves on a takeover. */
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
    // A submitted form stays in the same draft: ending the visit could undo the form's action.
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
      // Saves and checks already show that the server does not respond.
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
    // The text of an onlooker is not replaced; a link loads the newer one.
    const isNewer = revision !== Number(this.#form.elements.namedItem("revision").value);
    const isFree = !editor && "mayTake" in this.#form.dataset;
    const news = document.querySelector("[data-news]");
    news.hidden = !isNewer && !isFree;
    news.querySelector("span").textContent = isFree ? "This draft is free to edit." : "A newer text is saved.";
  }

  // Ends the visit, so that the next editor does not have to wait until it expires.
  #leave() {
    if (this.#form.dataset.leaveUrl) this.#ask("leave", {}, { keepalive: true });
  }
};
