/* Keys of the tree of queues: it is one tab stop; arrows move in it, and fold and unfold. */
"use strict";

(() => {
  const region = document.getElementById("queue-list");
  if (!region) return;

  let current = "";

  const rows = () => [...document.querySelectorAll("[data-tree] tbody tr")];
  const nameOf = (row) => row?.querySelector("a[data-row]");
  const levelOf = (row) => Number(row.getAttribute("aria-level"));

  // One link is in the tab order; without scripts all links are.
  const roam = () => {
    const names = rows().map(nameOf);
    const chosen = names.find((name) => name.id === current) ?? names[0];
    for (const link of document.querySelectorAll("[data-tree] tbody a")) {
      if (link === chosen) link.removeAttribute("tabindex");
      else if (link.getAttribute("tabindex") !== "-1") link.setAttribute("tabindex", "-1");
    }
  };

  const parentOf = (row) => {
    const all = rows();
    const above = all.slice(0, all.indexOf(row)).reverse();
    return above.find((each) => levelOf(each) < levelOf(row));
  };

  const actions = {
    ArrowDown: (row, all) => all[all.indexOf(row) + 1],
    ArrowUp: (row, all) => all[all.indexOf(row) - 1],
    Home: (row, all) => all[0],
    End: (row, all) => all[all.length - 1],
    ArrowRight: (row, all) => {
      const state = row.getAttribute("aria-expanded");
      if (state === "false") row.querySelector("[data-toggle]").click();
      return state === "true" ? all[all.indexOf(row) + 1] : null;
    },
    ArrowLeft: (row) => {
      if (row.getAttribute("aria-expanded") !== "true") return parentOf(row);
      row.querySelector("[data-toggle]").click();
      return null;
    },
  };

  document.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-tree] tbody tr");
    if (!row || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(event.key in actions)) return;
    event.preventDefault();
    nameOf(row).focus();
    nameOf(actions[event.key](row, rows()))?.focus();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-tree] tbody tr");
    if (!row) return;
    current = nameOf(row).id;
    roam();
  });

  // Live updates and folding replace rows with the server's, which have no tab order.
  new MutationObserver(roam).observe(region.parentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["tabindex"] });
  roam();
})();
