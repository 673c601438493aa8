/* Workloads of the last days beside the numbers of the lines on which rules and queues begin. */
"use strict";

window.Gutter = class {
  // Characters that stay free for a count, so that the text does not move when counts come.
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
    // Elements of lines are used again for others while the text scrolls.
    editor.renderer.on("afterRender", () => this.#draw());
  }

  // hits: line, from 1 -> runs; days: of how many days they are.
  show(hits, days) {
    this.#hits = new Map([...hits].map(([line, runs]) => [
      String(line),
      { short: this.#short.format(runs), full: `${runs.toLocaleString("en")} workload${runs === 1 ? "" : "s"} in the last ${days} days` },
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
