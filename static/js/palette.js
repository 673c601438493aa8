/* The command palette: Ctrl K opens a search field that shows results of the search page. */
"use strict";

(() => {
  const palette = document.getElementById("palette");
  if (!palette) return;
  const form = palette.querySelector("form");
  const field = form.elements.namedItem("q");
  const results = palette.querySelector("[data-palette-results]");
  let asked = null;
  let shown = null;
  let timer = 0;

  const found = () => [...results.querySelectorAll("a[data-found]")];

  // Results of an earlier text stay until new ones arrive, and are marked as busy.
  const settle = (text) => results.setAttribute("aria-busy", text !== field.value);

  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const text = field.value;
    try {
      const url = `${form.action}?${new URLSearchParams({ q: text })}`;
      const answer = await fetch(url, { signal: asked.signal, cache: "no-store" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      results.replaceChildren(...page.getElementById("search-results").childNodes);
      shown = text;
      settle(text);
      window.announce(`${found().length} results`);
    } catch (error) {
      if (error.name === "AbortError") return;
      shown = null;
      settle(text);
      results.textContent = "The server does not answer. Press Enter to retry.";
    }
  };

  const open = () => {
    if (palette.open) return;
    document.querySelector("dialog[open]")?.close();
    palette.showModal();
    field.select();
    ask();
  };

  field.addEventListener("input", () => {
    settle(shown);
    clearTimeout(timer);
    timer = setTimeout(ask, 120);
  });

  // Enter opens the first result if the results belong to the text; else the form is submitted.
  form.addEventListener("submit", (event) => {
    if (shown !== field.value) return;
    event.preventDefault();
    const [first] = found();
    if (first) location.assign(first.href);
  });

  palette.addEventListener("keydown", (event) => {
    // In a search field, the browser would clear the text first.
    if (event.key === "Escape") {
      event.preventDefault();
      palette.close();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [field, ...found()];
    const at = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    stops[(at + stops.length) % stops.length].focus();
  });

  palette.addEventListener("click", (event) => {
    if (event.target === palette) palette.close();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    // The editor has its own command for this key.
    if (event.target.closest(".ace_editor")) return;
    event.preventDefault();
    open();
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-palette-open]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
})();
