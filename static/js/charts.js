/*
 * A cursor for charts: pointer, touch and arrow keys select a time, and its numbers are shown.
 *
 * The numbers are read from the tables of the page (?table=all), once for each state of the page,
 * so a chart and its table have the same numbers. Dragging with a mouse selects a time range.
 */
"use strict";

(() => {
  const plots = () => [...document.querySelectorAll("[data-plot]")];
  if (!plots().length) return;

  const part = (plot, name) => plot.querySelector(`.chart__${name}`);
  const version = () => document.getElementById("live-poll")?.dataset.version ?? "";

  // Tables by panel; `known` is the state of the page from which they were read.
  let tables = null;
  let known = null;
  const load = () => {
    const now = `${version()} ${plots()[0]?.dataset.until}`;
    if (known === now) return tables;
    known = now;
    const url = new URL(location.href);
    url.searchParams.set("table", "all");
    url.searchParams.delete("v");
    url.hash = "";
    tables = fetch(url, { cache: "no-store" })
      .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(`status ${answer.status}`))))
      .then((html) => new DOMParser().parseFromString(html, "text/html"))
      .catch(() => {
        known = null;
        return null;
      });
    return tables;
  };

  const countOf = (plot) => Number(plot.dataset.count);
  const middle = (plot, index) => Math.min(100, (index + 0.5) * Number(plot.dataset.stride));
  const indexAt = (plot, share) =>
    Math.max(0, Math.min(countOf(plot) - 1, Math.floor((share * 100) / Number(plot.dataset.stride))));

  const rowsOf = (page, plot, index) => {
    const table = page.querySelector(`#chart-${plot.dataset.plot} table`);
    const row = table?.tBodies[0]?.rows[index];
    if (!row) return null;
    const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    return [...row.cells].map((cell, i) => [titles[i], cell.textContent]);
  };

  const write = (box, zone, [[, time], ...numbers]) => {
    const table = document.createElement("table");
    table.createCaption().textContent = `${time} ${zone}`;
    const body = table.createTBody();
    for (const [title, value] of numbers) {
      const row = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = title;
      row.append(head);
      row.insertCell().textContent = value;
    }
    box.replaceChildren(table);
  };

  let current = null;
  const show = async (plot, index) => {
    current = plot;
    const slider = part(plot, "slider");
    slider.max = countOf(plot) - 1;
    slider.value = index;
    // All charts have the same time axis, so all show the same time.
    for (const each of plots()) {
      const line = part(each, "cursor");
      if (!line) continue;
      line.removeAttribute("hidden");
      line.setAttribute("x1", `${middle(each, index)}%`);
      line.setAttribute("x2", `${middle(each, index)}%`);
    }
    const page = await load();
    // The reader may have moved the cursor meanwhile.
    if (!page || current !== plot || Number(slider.value) !== index) return;
    const numbers = rowsOf(page, plot, index);
    const box = part(plot, "readout");
    if (!numbers) return;
    write(box, plot.dataset.zone, numbers);
    slider.setAttribute("aria-valuetext", numbers.map(([title, value]) => `${title} ${value}`).join(", "));
    box.hidden = false;
    box.dataset.side = middle(plot, index) < 50 ? "end" : "start";
  };

  const hide = () => {
    current = null;
    for (const plot of plots()) {
      for (const name of ["cursor", "readout", "picked"]) {
        const node = part(plot, name);
        node?.setAttribute("hidden", "");
      }
    }
  };

  const shareOf = (plot, event) => {
    const box = plot.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };

  const wake = () => {
    for (const plot of plots()) {
      const slider = part(plot, "slider");
      if (slider?.hidden) slider.hidden = false;
    }
  };

  // Dragging over a range sets the time range of the page, if the page has this parameter.
  let from = null;
  const canPick = document.getElementById("u-since") !== null;
  const mark = (plot, begin, end) => {
    const box = part(plot, "picked");
    const isWide = Math.abs(end - begin) >= 0.01;
    box.toggleAttribute("hidden", !isWide);
    box.setAttribute("x", `${Math.min(begin, end) * 100}%`);
    box.setAttribute("width", `${Math.abs(end - begin) * 100}%`);
    return isWide;
  };
  const pick = (plot, begin, end) => {
    const since = Date.parse(plot.dataset.since);
    const whole = Date.parse(plot.dataset.until) - since;
    const at = (share) => new Date(since + Math.round((share * whole) / 60000) * 60000).toISOString();
    const url = new URL(location.href);
    url.searchParams.delete("range");
    url.searchParams.set("since", at(Math.min(begin, end)));
    url.searchParams.set("until", at(Math.max(begin, end)));
    if (url.searchParams.get("since") !== url.searchParams.get("until")) location.assign(url);
  };

  const plotOf = (event) => event.target.closest?.("[data-plot]");
  document.addEventListener("pointermove", (event) => {
    const plot = from?.plot ?? plotOf(event);
    if (!plot || !countOf(plot)) {
      if (current && current.contains(document.activeElement) === false) hide();
      return;
    }
    const share = shareOf(plot, event);
    if (from) mark(plot, from.share, share);
    show(plot, indexAt(plot, share));
  });
  document.addEventListener("pointerdown", (event) => {
    const plot = plotOf(event);
    if (!plot || !countOf(plot)) return;
    show(plot, indexAt(plot, shareOf(plot, event)));
    if (canPick && event.pointerType === "mouse" && event.button === 0) {
      from = { plot, share: shareOf(plot, event) };
      event.preventDefault();
    }
  });
  document.addEventListener("pointerup", (event) => {
    if (!from) return;
    const { plot, share } = from;
    from = null;
    const end = shareOf(plot, event);
    if (mark(plot, share, end)) pick(plot, share, end);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches?.("[data-slider]")) show(event.target.closest("[data-plot]"), Number(event.target.value));
  });
  document.addEventListener("focusin", (event) => {
    if (!event.target.matches?.("[data-slider]")) return;
    const plot = event.target.closest("[data-plot]");
    if (event.target.matches(":focus-visible")) show(plot, Math.min(Number(event.target.value), countOf(plot) - 1));
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.matches?.("[data-slider]")) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    from = null;
    hide();
  });

  // Charts inserted by an update have a new slider.
  const regions = [...document.querySelectorAll("[data-live]")].filter((region) => region.querySelector("[data-plot]"));
  for (const region of regions) new MutationObserver(wake).observe(region, { subtree: true, childList: true });
  wake();
})();
