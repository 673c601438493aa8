/* Keyboard shortcuts of the list of queues: select and compare queues, hold a queue. */
"use strict";

(() => {
  const inRow = (act) => () => {
    const row = document.activeElement?.closest("tr:has(a[data-row])");
    if (row) act(row);
    else window.announce("Select a queue with j or k first");
  };
  const openHold = () => {
    const menu = document.querySelector("[data-hold]");
    if (!menu) return false;
    menu.open = true;
    menu.querySelector("#reason").focus();
    return true;
  };

  window.pageKeys.queues = {
    x: inRow((row) => {
      const box = row.querySelector("[data-row-pick]");
      if (!box) return;
      box.click();
      window.announce(`${box.value} ${box.checked ? "selected" : "not selected"}`);
    }),
    c: () => document.querySelector("[data-compare]")?.click(),
    h: () => openHold() || inRow((row) => row.querySelector("[data-row-hold]")?.click())(),
  };
})();
