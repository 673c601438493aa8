/* Keyboard shortcuts of the history: select and compare two versions, or edit one. */
"use strict";

(() => {
  const row = () => document.activeElement?.closest("tr[data-version]");
  const inRow = (act) => () => {
    const here = row();
    if (here) act(here);
    else window.announce("Select a version with j or k first");
  };

  // The last two selected versions, older first; until the second selection, the other one is kept.
  let picked = [];
  const pick = (here) => {
    const number = Number(here.dataset.version);
    if (!document.querySelector("[data-compare]")) return;
    picked = [...picked.filter((each) => each !== number), number].slice(-2);
    const chosen = (name) => Number(document.querySelector(`input[form="compare"][name="${name}"]:checked`).value);
    const other = picked.length === 2 ? picked[0] : chosen(number === chosen("b") ? "a" : "b");
    for (const [name, value] of [["a", Math.min(number, other)], ["b", Math.max(number, other)]]) {
      document.querySelector(`input[form="compare"][name="${name}"][value="${value}"]`).checked = true;
    }
    window.announce(`From version ${chosen("a")} to version ${chosen("b")}`);
  };

  window.pageKeys.history = {
    x: inRow(pick),
    c: () => document.querySelector("[data-compare]")?.requestSubmit(),
    e: inRow((here) => here.querySelector("[data-edit-from]")?.click()),
  };
})();
