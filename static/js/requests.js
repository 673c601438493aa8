/* Requests of the config editor: large texts are sent one after another, and only the newest response counts. */
"use strict";

window.EditorRequests = class {
  #form;
  #state;
  #busy;
  #open = 0;
  #turn = Promise.resolve();

  /* `state` returns the dialect and the text; `busy` is called with whether responses are awaited. */
  constructor(form, state, busy) {
    this.#form = form;
    this.#state = state;
    this.#busy = busy;
  }

  send(name, body, more = {}) {
    return fetch(this.#form.dataset[`${name}Url`], {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json",
        "X-CSRFToken": window.csrfToken(this.#form),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15000),
      ...more,
    });
  }

  // The server processes one large text per user at a time, so requests that read one are sent one
  // after another. Small texts are processed at the same time, and a slow response delays no other.
  inTurn(send) {
    if (this.#state().text.length <= Number(this.#form.dataset.cheapText)) return send();
    const answer = this.#turn.then(send);
    this.#turn = answer.catch(() => {});
    return answer;
  }

  // A request is not sent if a newer one of its name waits, and the response for an older text does
  // not replace that for a newer one. `fail` is called with the seconds to wait if the server is busy.
  latest(name, show, fail) {
    let newest = 0;
    const send = async (seq) => {
      try {
        if (seq !== newest) return;
        const answer = await this.send(name, { seq, ...this.#state() });
        if (answer.status === 429) {
          if (seq === newest) fail(Number(answer.headers.get("Retry-After")));
          return;
        }
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const result = await answer.json();
        if (result.seq === newest) show(result);
      } catch (error) {
        if (seq === newest) fail();
      } finally {
        this.#busy((this.#open -= 1) > 0);
      }
    };
    const go = () => {
      const seq = (newest += 1);
      this.#busy((this.#open += 1) > 0);
      this.inTurn(() => send(seq));
    };
    go.forget = () => (newest += 1);
    return go;
  }
};
