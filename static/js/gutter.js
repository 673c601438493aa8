/* Numbers of recorded workloads in the gutter, on the first lines of rules and queues. */
"use strict";

window.Gutter = class {
  // Characters reserved for a count, so that the text does not move when counts arrive.
  #room = 5;
  #short = new Intl.NumberFormat("en", { notation: "compact" });
  #editor;
  #hits = new Map();

  constructor(editor) {
    this.#editor = editor;
    editor.session.gutterRenderer = {
      getText: (session, row) => row + 1,
      getWidth: (session, lastLine, config) =>
        (Math.max(String(lastLine).length, 2) + this.#room) * config.characterWidth,
    };
    // ACE reuses the elements of lines while scrolling.
    editor.renderer.on("afterRender", () => this.#draw());
  }

  // hits: line, from 1 -> number of workloads; days: length of the recorded time.
  show(hits, days) {
    this.#hits = new Map([...hits].map(([line, runs]) => [
      String(line),
      { short: this.#short.format(runs), full: `${window.countText(runs)} workload${runs === 1 ? "" : "s"} in the last ${days} days` },
    ]));
    this.#draw();
  }

  #draw() {
    for (const cell of this.#editor.container.querySelectorAll(".ace_gutter-cell")) {
      const hits = this.#hits.get(cell.textContent);
      if (cell.dataset.hits === hits?.short) continue;
      if (hits) {
        cell.dataset.hits = hits.short;
        cell.title = hits.full;
      } else {
        delete cell.dataset.hits;
        cell.removeAttribute("title");
      }
    }
  }
};
