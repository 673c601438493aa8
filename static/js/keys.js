/* Keyboard shortcuts of every page; window.pageKeys holds those of some pages, by name. */
"use strict";

(() => {
  window.pageKeys = {};
  const main = document.getElementById("main");

  // Stored in the same cookie, with the same lifetime, as on the appearance page.
  const root = document.documentElement;
  const keysOff = () => root.dataset.keys === "off";
  const switchKeys = (value) => {
    root.dataset.keys = value;
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `keys=${value}; path=/; max-age=31536000; samesite=lax${secure}`;
  };

  const rows = () => [...document.querySelectorAll("main tr:has(a[data-row])")];
  const moveRow = (step) => {
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
    if (next) next.querySelector("a[data-row]").focus();
  };

  const moveTab = (step) => {
    const tabs = [...document.querySelectorAll("main nav.segments a.segment")];
    const here = tabs.find((tab) => tab.hasAttribute("aria-current"));
    const beside = tabs.filter((tab) => tab.parentElement === here?.parentElement);
    const next = beside[beside.indexOf(here) + step];
    if (next) next.click();
  };

  const filter = () => {
    const fields = document.querySelectorAll("main .filters :is(input, select):not([type=hidden])");
    [...fields].find((field) => field.checkVisibility())?.focus();
  };

  // Returns the page's permalink if it has one, else its address.
  const permalink = async () => {
    const given = document.querySelector("main a[data-permalink]");
    const url = new URL(given ? given.href : location.href);
    history.replaceState(history.state, "", url);
    try {
      await navigator.clipboard.writeText(url.href);
      window.tell("Permalink copied");
    } catch {
      // Browsers allow copying only in secure contexts.
      window.tell("The permalink is in the address bar");
    }
  };

  const help = document.getElementById("keys-help");
  const helpButton = document.querySelector("[data-keys-help]");
  if (help && helpButton) {
    helpButton.hidden = false;
    helpButton.addEventListener("click", () => help.showModal());
    const box = help.querySelector("[data-keys-off]");
    box.checked = keysOff();
    box.addEventListener("change", () => switchKeys(box.checked ? "off" : "on"));
  }

  const press = (selector) => document.querySelector(selector)?.click();
  const everywhere = {
    "/": () => document.querySelector("[data-search]")?.focus(),
    "?": () => help?.showModal(),
    g: () => (goUntil = Date.now() + 2000),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    f: filter,
    r: () => press("[data-rows-bar]:not([hidden]) [data-rows-show]"),
    p: () => press("[data-live-pause]"),
    y: permalink,
    "[": () => moveTab(-1),
    "]": () => moveTab(1),
  };

  let goUntil = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keysOff()) return;
    const writes = event.target.closest("input, textarea, select, [contenteditable], .ace_editor, dialog");
    // A closed dialog keeps the focus until the next frame.
    if (writes?.checkVisibility()) return;
    if (Date.now() < goUntil) {
      goUntil = 0;
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) location.assign(link.href);
      return;
    }
    const actions = { ...everywhere, ...window.pageKeys[main?.dataset.pageKeys] };
    if (/^[1-7]$/.test(event.key)) {
      const item = document.querySelectorAll("[data-item-keys] > li > a[data-item]")[event.key - 1];
      if (item) actions[event.key] = () => item.click();
    }
    if (event.key in actions) {
      event.preventDefault();
      actions[event.key]();
    }
  });
})();
