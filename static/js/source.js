/* Config texts: marks the lines in the address, and loads the part of a long text that has them. */
"use strict";

(() => {
  // #L10-L14 marks lines 10 to 14 of a source text.
  const markLines = () => {
    const source = document.querySelector("[data-source]");
    const range = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
    if (!source || !range) return;
    for (const line of source.querySelectorAll("[data-marked]")) delete line.dataset.marked;
    const first = Number(range[1]);
    const last = Math.min(Number(range[2] || first), first + 5000);
    for (let number = first; number <= last; number += 1) {
      const line = document.getElementById(`L${number}`);
      if (line) line.dataset.marked = "";
    }
    const line = document.getElementById(`L${first}`);
    if (line) line.scrollIntoView({ block: "center" });
    else loadPart(source, first);
  };
  // A long text has placeholders for the parts that are not loaded yet.
  const loadPart = (source, line) => {
    const has = ({ dataset }) => Number(dataset.firstLine) <= line && line <= Number(dataset.lastLine);
    const part = [...source.querySelectorAll("[data-first-line]")].find(has);
    if (!part) return;
    const load = () => window.htmx.trigger(part, "load-lines");
    // Before that, htmx does not know the part yet.
    if (document.readyState === "complete") load();
    else addEventListener("load", load, { once: true });
  };
  let isMarked = "";
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    // Once, so that the text stays where its reader has scrolled to.
    const first = /^#L(\d+)/.exec(location.hash)?.[1];
    if (!first || isMarked === location.hash || !target.closest?.("[data-source]")) return;
    if (!document.getElementById(`L${first}`)) return;
    isMarked = location.hash;
    markLines();
  });
  addEventListener("hashchange", () => {
    isMarked = "";
    markLines();
  });
  markLines();
})();
