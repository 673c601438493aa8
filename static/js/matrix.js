/* Arrow keys in the matrix of a cohort: the matrix is one tab stop, and arrows move inside it. */
"use strict";

(() => {
  const region = document.getElementById("matrix-region");
  if (!region) return;

  let current = null;

  const table = () => region.querySelector("[data-matrix]");
  const rows = () => [...(table()?.tBodies[0].rows ?? [])];
  // The cards of a narrow window have no columns.
  const isTable = () => table() && getComputedStyle(table()).display === "table";
  const linkAt = (row, column) => row.cells[column]?.querySelector("a");

  // One link is in the tab order; without scripts all links are.
  const roam = () => {
    const links = rows().flatMap((row) => [...row.querySelectorAll("a")]);
    if (!links.length) return;
    if (!links.includes(current)) current = links[0];
    for (const link of links) {
      const wanted = isTable() && link !== current ? "-1" : null;
      if (wanted === null) link.removeAttribute("tabindex");
      else if (link.getAttribute("tabindex") !== wanted) link.setAttribute("tabindex", wanted);
    }
  };

  const find = (row, column, down, right) => {
    const all = rows();
    for (let r = row + down, c = column + right; all[r]?.cells[c]; r += down, c += right) {
      const link = linkAt(all[r], c);
      if (link) return link;
    }
    return null;
  };

  const ends = (row, column, key, whole) => {
    const all = rows();
    const order = whole ? all.flatMap((each) => [...each.querySelectorAll("a")]) : [...all[row].querySelectorAll("a")];
    return key === "Home" ? order[0] : order[order.length - 1];
  };

  region.addEventListener("keydown", (event) => {
    const cell = event.target.closest("[data-matrix] tbody :is(td, th)");
    if (!cell || !isTable() || event.altKey || event.metaKey || event.shiftKey) return;
    const row = rows().indexOf(cell.parentElement);
    const column = cell.cellIndex;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    let next = null;
    if (event.key in steps && !event.ctrlKey) next = find(row, column, ...steps[event.key]);
    else if (event.key === "Home" || event.key === "End") next = ends(row, column, event.key, event.ctrlKey);
    else return;
    event.preventDefault();
    if (next) {
      current = next;
      roam();
      next.focus();
    }
  });

  region.addEventListener("focusin", (event) => {
    if (event.target.closest("[data-matrix] tbody a")) {
      current = event.target;
      roam();
    }
  });

  // Live updates restore the server's HTML, without this tab order.
  new MutationObserver(roam).observe(region, { subtree: true, childList: true, attributes: true, attributeFilter: ["tabindex"] });
  addEventListener("resize", roam);
  roam();
})();
