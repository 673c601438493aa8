/* Selects rows of the list of workloads: by boxes, ranges and keys, and shows the results. */
"use strict";

(() => {
  const form = document.querySelector("[data-selection]");
  if (!form) return;
  const count = form.querySelector("[data-selection-count]");
  const boxes = () => [...document.querySelectorAll("[data-row-pick]")];
  const head = () => document.querySelector("[data-pick-page]");
  const matching = () => document.querySelector("[data-pick-matching]");
  let picked = new Set();
  // The box that was clicked last: a range begins there.
  let anchor = "";

  const show = () => {
    const all = boxes();
    const chosen = all.filter((box) => box.checked);
    picked = new Set(chosen.map((box) => box.value));
    const page = head();
    if (page) {
      page.checked = chosen.length > 0 && chosen.length === all.length;
      page.indeterminate = chosen.length > 0 && chosen.length < all.length;
    }
    const total = matching()?.checked ? Number(matching().dataset.pickMatching) : chosen.length;
    form.toggleAttribute("data-some", total > 0);
    const text = `${total} selected`;
    if (count.textContent !== text) count.textContent = text;
  };

  const pickAll = (checked) => {
    for (const box of boxes()) box.checked = checked;
    if (!checked && matching()) matching().checked = false;
    show();
  };

  document.addEventListener("click", (event) => {
    const box = event.target.closest?.("[data-row-pick]");
    if (!box) return;
    const all = boxes();
    const from = all.findIndex((each) => each.value === anchor);
    if (event.shiftKey && from >= 0) {
      const to = all.indexOf(box);
      for (const each of all.slice(Math.min(from, to), Math.max(from, to) + 1)) each.checked = box.checked;
    }
    anchor = box.value;
  });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("[data-pick-page], [data-pick-matching]")) pickAll(target.checked);
    if (!target.matches("[data-row-pick]")) return;
    if (!target.checked && matching()) matching().checked = false;
    show();
  });
  form.querySelector("[data-selection-clear]").addEventListener("click", () => {
    pickAll(false);
    document.querySelector("a[data-row]")?.focus({ preventScroll: true });
  });

  // Rows that an update has replaced stay selected.
  new MutationObserver(() => {
    for (const box of boxes()) if (picked.has(box.value)) box.checked = true;
    show();
  }).observe(form.parentElement, { childList: true, subtree: true });

  const outcome = () => document.getElementById("selection-outcome");
  document.addEventListener("htmx:afterSettle", ({ detail }) => {
    if (detail.target?.id !== "selection-outcome") return;
    const shown = outcome().querySelector("[data-focus]");
    if (outcome().querySelector("[data-selection-done]")) pickAll(false);
    shown?.focus();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-outcome-close]")) return;
    event.preventDefault();
    outcome().replaceChildren();
    document.querySelector("a[data-row]")?.focus({ preventScroll: true });
  });

  window.pageKeys.workloads = {
    x: () => {
      const row = document.activeElement?.closest("tr:has(a[data-row])");
      const box = row?.querySelector("[data-row-pick]");
      if (!box) {
        window.announce("Select a workload with j or k first");
        return;
      }
      box.click();
      const name = row.querySelector("a[data-row]").textContent;
      window.announce(`${name} ${box.checked ? "selected" : "not selected"}`);
    },
  };
  show();
})();
