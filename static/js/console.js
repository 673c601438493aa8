/* What HTML alone cannot do on every page: keys, menus, ages, copying, marked lines. */
"use strict";

(() => {
  const keysOff = () => localStorage.getItem("keys-off") === "1";

  // Announce to screen readers, at most one text each ten seconds.
  let spokeAt = 0;
  window.announce = (text) => {
    if (Date.now() - spokeAt < 10000) return;
    spokeAt = Date.now();
    document.getElementById("announcer").textContent = text;
  };

  const span = (seconds) => {
    if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d`;
    if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h`;
    if (seconds >= 60) return `${Math.floor(seconds / 60)} min`;
    return `${Math.max(0, Math.floor(seconds))} s`;
  };

  // The server's clock is the reference: the reader's own may be wrong.
  const asOf = document.querySelector("[data-as-of]");
  const skew = asOf ? Date.parse(asOf.dataset.asOf) - Date.now() : 0;

  const tellAges = () => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll("time[data-age]")) {
      const seconds = (Date.now() + skew - Date.parse(time.dateTime)) / 1000;
      const ahead = time.dataset.age === "until";
      const text = span(ahead ? -seconds : seconds);
      const full = time.dataset.age === "span" || ahead ? text : `${text} ago`;
      if (time.textContent !== full) time.textContent = full;
    }
  };
  setInterval(tellAges, 5000);

  // Menus: one open at a time; Escape and a click elsewhere close them.
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const source = document.getElementById(copy.dataset.copy);
      const text = "value" in source ? source.value : source.textContent;
      navigator.clipboard.writeText(text).then(() => {
        copy.textContent = "Copied";
        window.announce("Copied");
      });
    }
  });

  // A browser may keep a page that was left, to go back to: not with a secret in it.
  addEventListener("pagehide", () => {
    for (const field of document.querySelectorAll("[data-secret]")) field.value = "";
  });

  const rows = () => [...document.querySelectorAll("main tr:has(a[data-row])")];
  const moveRow = (step) => {
    const all = rows();
    const at = all.findIndex((row) => row.contains(document.activeElement));
    const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
    if (next) next.querySelector("a[data-row]").focus();
  };

  const help = document.getElementById("keys-help");
  const helpButton = document.querySelector("[data-keys-help]");
  if (help && helpButton) {
    helpButton.hidden = false;
    helpButton.addEventListener("click", () => help.showModal());
    const box = help.querySelector("[data-keys-off]");
    box.checked = keysOff();
    box.addEventListener("change", () => localStorage.setItem("keys-off", box.checked ? "1" : "0"));
  }

  // Lists of links that are narrowed while somebody types.
  for (const list of document.querySelectorAll("[data-filtered]")) {
    const field = list.querySelector("[data-filter]");
    if (!field) continue;
    field.closest("[data-filter-field]")?.removeAttribute("hidden");
    field.addEventListener("input", () => {
      const part = field.value.trim().toLowerCase();
      for (const entry of list.querySelectorAll("[data-filter-text]")) {
        entry.hidden = !entry.dataset.filterText.toLowerCase().includes(part);
      }
    });
  }

  let goUntil = 0;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const menu = event.target.closest("details[data-menu][open]");
      if (menu) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || keysOff()) return;
    if (event.target.closest("input, textarea, select, [contenteditable], .ace_editor, dialog")) return;
    const press = (selector) => document.querySelector(selector)?.click();
    if (Date.now() < goUntil) {
      goUntil = 0;
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) location.assign(link.href);
      return;
    }
    const actions = {
      "/": () => document.querySelector("[data-search]")?.focus(),
      "?": () => help?.showModal(),
      g: () => (goUntil = Date.now() + 1200),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      r: () => press("[data-rows-bar]:not([hidden]) [data-rows-show]"),
      p: () => press("[data-live-pause]"),
      ...window.pageKeys,
    };
    if (/^[1-7]$/.test(event.key)) {
      const item = document.querySelectorAll("[data-item-keys] > li > a[data-item]")[event.key - 1];
      if (item) actions[event.key] = () => item.click();
    }
    if (event.key in actions) {
      event.preventDefault();
      actions[event.key]();
    }
  });

  // #L10-L14 marks these lines of a source text.
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
    document.getElementById(`L${first}`)?.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", markLines);
  markLines();

  document.querySelector("[data-focus]")?.focus();

  // Filters left empty stay out of the address.
  document.addEventListener("htmx:configRequest", (event) => {
    const { parameters } = event.detail;
    for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
    const [, key, value] = /^([^=]+)=(.*)$/.exec(parameters.label ?? "") ?? [];
    if (key) {
      delete parameters.label;
      parameters[`label.${key.trim()}`] = value.trim();
    }
  });

  // Whoever signs in again in another window has a new token there, and this page an old one.
  window.csrfToken = (form) =>
    /(?:^|; )sluice_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? form.elements.namedItem("csrfmiddlewaretoken").value;
  document.addEventListener(
    "submit",
    ({ target: form }) => {
      const field = form.elements.namedItem("csrfmiddlewaretoken");
      if (field) field.value = window.csrfToken(form);
    },
    true,
  );

  // A form that changes something is sent once.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "1";
    setTimeout(() => delete form.dataset.sent, 4000);
  });
})();
