/*
 * Keeps the regions marked data-live current by polling the page's own address with the version it shows.
 *
 * 204 means nothing changed. Otherwise texts and attributes change in place, so that focus,
 * selection and scroll stay; rows of a list never appear, vanish or move until the reader asks.
 */
"use strict";

(() => {
  const poll = document.getElementById("live-poll");
  const status = document.querySelector("[data-live-status]");
  if (!poll || !status) return;

  const EVERY = 2000;
  const text = status.querySelector("[data-live-text]");
  const pause = document.querySelector("[data-live-pause]");
  let version = poll.dataset.version;
  let freshAt = Date.now();
  let misses = 0;
  let paused = false;
  let latest = null;

  document.querySelector("[data-live-reload]").hidden = true;
  pause.hidden = false;

  const clock = (moment) => new Date(moment).toISOString().slice(11, 19);

  const show = () => {
    if (paused) {
      status.dataset.live = "off";
      text.textContent = `Paused · as of ${clock(freshAt)} UTC`;
    } else if (misses >= 3) {
      status.dataset.live = "away";
      text.textContent = `No answer · data from ${clock(freshAt)} UTC`;
    } else {
      status.dataset.live = "on";
      text.textContent = `Live · ${Math.max(0, Math.round((Date.now() - freshAt) / 1000))} s ago`;
    }
  };

  const busy = () => {
    const selection = getSelection();
    return (
      document.hidden ||
      document.querySelector("dialog[open], details[data-menu][open]") !== null ||
      (selection && !selection.isCollapsed && selection.toString() !== "")
    );
  };

  // A field that somebody types in is theirs until they leave it.
  const theirs = (node) =>
    node === document.activeElement && /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName);

  const patch = (node, next) => {
    if (theirs(node) || node.dataset?.rowsBar !== undefined || node.dataset?.fetched !== undefined || node.isEqualNode(next)) return;
    for (const { name } of [...node.attributes]) {
      if (!next.hasAttribute(name) && name !== "open") node.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    if (node.dataset?.rows !== undefined) {
      patchRows(node, next);
      return;
    }
    const mine = [...node.childNodes];
    const other = [...next.childNodes];
    const alike =
      mine.length === other.length &&
      mine.every((child, i) => child.nodeName === other[i].nodeName && (child.id || "") === (other[i].id || ""));
    if (!alike) {
      rearrange(node, other);
      return;
    }
    mine.forEach((child, i) => {
      if (child.nodeType === Node.ELEMENT_NODE) patch(child, other[i]);
      else if (child.nodeValue !== other[i].nodeValue) child.nodeValue = other[i].nodeValue;
    });
  };

  // Parts with an id are kept and patched; the others are exchanged, unless the focus is among them.
  const rearrange = (node, other) => {
    const kept = new Map([...node.children].filter((child) => child.id).map((child) => [child.id, child]));
    const children = other.map((child) => {
      const mine = kept.get(child.id);
      if (!mine) return child;
      patch(mine, child);
      return mine;
    });
    if (!node.contains(document.activeElement)) node.replaceChildren(...children);
  };

  const patchRows = (list, next) => {
    const fresh = new Map([...next.children].map((row) => [row.id, row]));
    const before = [...list.children].map((row) => row.id);
    const added = [...fresh.keys()].filter((id) => !before.includes(id)).length;
    // Rows at the end that new ones push to the next page are not gone.
    const pushed = before.length - 1 - before.findLastIndex((id) => fresh.has(id));
    const end = pushed <= added ? before.length - pushed : before.length;
    let gone = 0;
    [...list.children].forEach((row, i) => {
      const now = fresh.get(row.id);
      if (now) patch(row, now);
      row.toggleAttribute("data-gone", !now && i < end);
      if (!now && i < end) gone += 1;
    });
    const kept = before.filter((id) => fresh.has(id));
    const moved = [...fresh.keys()].filter((id) => before.includes(id)).some((id, i) => kept[i] !== id);
    const bar = document.querySelector(`[data-rows-bar="${CSS.escape(list.id)}"]`);
    if (!bar) return;
    const parts = [];
    if (added) parts.push(`${added} new`);
    if (gone) parts.push(`${gone} no longer here`);
    if (moved) parts.push("order changed");
    bar.querySelector("[data-rows-text]").textContent = parts.join(" · ");
    if (bar.hidden && parts.length) window.announce(parts.join(", "));
    bar.hidden = parts.length === 0;
  };

  const showRows = (bar) => {
    const list = document.getElementById(bar.dataset.rowsBar);
    const next = latest?.getElementById(bar.dataset.rowsBar);
    if (!list || !next) return;
    list.replaceChildren(...next.cloneNode(true).children);
    bar.hidden = true;
    list.querySelector("a[data-row]")?.focus({ preventScroll: true });
  };

  const update = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const now = page.getElementById("live-poll");
    if (!now) {
      location.reload();
      return;
    }
    latest = page;
    version = now.dataset.version;
    document.title = page.title;
    for (const region of document.querySelectorAll("[data-live]:not([data-live-status])")) {
      const next = page.getElementById(region.id);
      if (next) patch(region, next.cloneNode(true));
    }
  };

  const tick = async () => {
    if (paused || busy()) return;
    const url = new URL(location.href);
    url.searchParams.set("v", version);
    url.hash = "";
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10000), cache: "no-store" });
      if (answer.status === 401) {
        location.reload();
        return;
      }
      if (answer.status === 200) update(await answer.text());
      else if (answer.status !== 204) throw new Error(`status ${answer.status}`);
      freshAt = Date.now();
      if (misses >= 3) window.announce("Updates are back");
      misses = 0;
    } catch (error) {
      misses += 1;
      if (misses === 3) window.announce("The server does not answer; the data shown is old");
    }
    show();
  };

  const loop = async () => {
    await tick();
    setTimeout(loop, Math.min(EVERY * Math.max(1, misses), 15000));
  };

  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    show();
    if (!paused) tick();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-rows-show]")) showRows(event.target.closest("[data-rows-bar]"));
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) tick();
  });
  setInterval(show, 1000);
  show();
  setTimeout(loop, EVERY);
})();
