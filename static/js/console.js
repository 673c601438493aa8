/* Scripts of every page: menus, ages, copy buttons. */
"use strict";

(() => {
  // Shows the controls that need scripts.
  document.documentElement.dataset.scripts = "";

  // Announces texts to screen readers, at most one every ten seconds.
  let spokeAt = 0;
  window.announce = (text) => {
    if (Date.now() - spokeAt < 10000) return;
    spokeAt = Date.now();
    document.getElementById("announcer").textContent = text;
  };

  // Shows the effect of a key briefly on the screen, too.
  let toastTimer = 0;
  window.tell = (text) => {
    const toast = document.getElementById("toast");
    toast.textContent = text;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => toast.replaceChildren(), 4000);
  };

  // Writes a count with the reader's separator of thousands, as the server does.
  window.countText = (number) =>
    String(number).replace(/\B(?=(\d{3})+$)/g, document.documentElement.dataset.grouping);

  const span = (seconds) => {
    if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d`;
    if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h`;
    if (seconds >= 60) return `${Math.floor(seconds / 60)} min`;
    return `${Math.max(0, Math.floor(seconds))} s`;
  };

  // Ages are relative to the server's clock, because the reader's clock may be wrong.
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

  // One menu is open at a time; a click outside closes it.
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

  // In a narrow window, a button opens the sections.
  const sections = document.getElementById("sections");
  const menuButton = document.querySelector("[data-sections-open]");
  const setSections = (open) => {
    sections.toggleAttribute("data-open", open);
    menuButton.setAttribute("aria-expanded", String(open));
  };
  if (sections && menuButton) {
    menuButton.addEventListener("click", () => setSections(!sections.hasAttribute("data-open")));
    for (const place of [sections, menuButton]) {
      place.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !sections.hasAttribute("data-open")) return;
        setSections(false);
        menuButton.focus();
      });
    }
  }

  // Escape closes the focused menu and moves the focus to its button.
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest("details[data-menu][open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // The browser's back-forward cache must not keep a page with a secret.
  addEventListener("pagehide", () => {
    for (const field of document.querySelectorAll("[data-secret]")) field.value = "";
  });

  // Lists of links are filtered during typing.
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

  document.querySelector("[data-focus]")?.focus();

  // Empty filters are left out of the address.
  document.addEventListener("htmx:configRequest", (event) => {
    const { parameters } = event.detail;
    for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
    const [, key, value] = /^([^=]+)=(.*)$/.exec(parameters.label ?? "") ?? [];
    if (key) {
      delete parameters.label;
      parameters[`label.${key.trim()}`] = value.trim();
    }
  });

  // After a new sign-in in another window, the CSRF token in this page is outdated.
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

  // A panel whose request was rejected for lack of capacity retries after the time in Retry-After.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status !== 429) return;
    const seconds = Number(detail.xhr.getResponseHeader("Retry-After")) || 5;
    setTimeout(() => window.htmx.trigger(detail.elt, "again"), seconds * 1000);
  });

  // A POST form is sent only once.
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
