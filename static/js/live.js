/*
 * Keeps the regions marked data-live current by polling the page's own address with the stamp
 * that it shows, and says how old they are: by the server's word, whatever became of the poll.
 *
 * 204 means nothing changed; the stamp and age are in the headers of every answer.
 */
"use strict";

(() => {
  const poll = document.getElementById("live-poll");
  const status = document.querySelector("[data-live-status]");
  if (!poll || !status) return;

  const EVERY = 2000;
  const SLOWEST = 15000;
  // Three beats without an answer are a server that is away; ten seconds of rest are not.
  const MISSES = 3;
  const text = status.querySelector("[data-live-text]");
  const pause = document.querySelector("[data-live-pause]");
  const reload = document.querySelector("[data-live-reload]");
  const retry = document.querySelector("[data-live-retry]");
  const patch = new window.Patch();
  let stamp = poll.dataset.version;
  // The server read what the page shows after the page was asked for, not before.
  let freshAt = performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.requestStart ?? 0);
  let misses = 0;
  let paused = false;
  let asking = false;
  // Why there are no news: {text, again (what the link says), retry}. Null while all is well.
  let trouble = null;
  let isOver = false;
  let isOld = false;

  const clock = () => `${new Date(Number(stamp.split("-")[0])).toISOString().slice(11, 19)} UTC`;
  const age = () => Math.max(0, Math.round((Date.now() - freshAt) / 1000));

  const show = () => {
    const away = trouble ?? (misses >= MISSES ? { text: "Reconnecting", retry: true } : null);
    reload.hidden = !(away?.again || isOld);
    reload.textContent = away?.again ?? "Reload: new version";
    retry.hidden = !away?.retry;
    pause.hidden = isOver;
    if (away) {
      status.dataset.live = "away";
      text.textContent = `${away.text} · data from ${clock()}`;
    } else if (paused) {
      status.dataset.live = "off";
      text.textContent = `Paused · as of ${clock()}`;
    } else if (busy() && age() > 10) {
      status.dataset.live = "off";
      text.textContent = `Updates held · as of ${clock()}`;
    } else {
      status.dataset.live = "on";
      text.textContent = `Live · ${age()} s ago`;
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

  const tell = (next) => {
    if (trouble?.text !== next.text) window.announce(`${next.text}; data is out of date`);
    trouble = next;
    isOver = !next.retry;
  };

  // What the server refuses for good is said, and not asked for again.
  const refused = (answer) => {
    const id = answer.headers.get("X-Request-ID");
    if (answer.status === 401) tell({ text: "Signed out", again: "Sign in again" });
    else if (answer.status === 403) tell({ text: "Access removed", again: "Reload" });
    else if (answer.status === 404) tell({ text: "No longer available", again: "Reload" });
    else if (answer.status >= 500 && id) tell({ text: `Error ${answer.status}, request ${id}`, retry: true });
    else throw new Error(`status ${answer.status}`);
  };

  const take = async (answer, askedAt) => {
    if (answer.status === 200) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!page.getElementById("live-poll")) {
        location.reload();
        return;
      }
      document.title = page.title;
      patch.update(page);
      stamp = page.getElementById("live-poll").dataset.version;
    }
    stamp = answer.headers.get("X-Live-Stamp") ?? stamp;
    freshAt = askedAt - 1000 * Number(answer.headers.get("X-Live-Age") ?? 0);
    isOld = (answer.headers.get("X-Live-Build") ?? poll.dataset.build) !== poll.dataset.build;
    if (trouble || misses >= MISSES) window.announce("Updates resumed");
    trouble = null;
    misses = 0;
  };

  const tick = async () => {
    if (paused || asking || isOver || busy()) return;
    asking = true;
    const url = new URL(location.href);
    // A part that failed is asked for again, even when nothing changed since.
    const failed = document.querySelector("[data-live] [data-failed]") !== null;
    url.searchParams.set("v", failed ? `${stamp.split("-")[0]}-` : stamp);
    url.hash = "";
    const askedAt = Date.now();
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10000), cache: "no-store" });
      if (answer.ok) await take(answer, askedAt);
      else refused(answer);
    } catch (error) {
      misses += 1;
      if (misses === MISSES) window.announce("The server does not answer; data is out of date");
    }
    asking = false;
    show();
  };

  const loop = async () => {
    await tick();
    if (!isOver) setTimeout(loop, Math.min(EVERY * Math.max(trouble ? 3 : 1, misses), SLOWEST));
  };

  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = paused ? "Resume" : "Pause";
    show();
    if (!paused) tick();
  });
  retry.addEventListener("click", tick);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-rows-show]")) patch.showRows(event.target.closest("[data-rows-bar]"));
  });
  document.addEventListener("focusout", () => setTimeout(() => patch.settle()));
  document.addEventListener("visibilitychange", () => {
    show();
    if (!document.hidden) tick();
  });
  // A page that the browser kept, to go back to, is as old as it was left.
  addEventListener("pageshow", (event) => {
    if (event.persisted) tick();
  });
  // A region that was asked for with other filters is newer than the rest: all is asked for anew.
  document.addEventListener("htmx:afterSwap", (event) => {
    const found = /id="live-poll" data-version="(\d+)-/.exec(event.detail.xhr?.responseText ?? "");
    if (!found) return;
    patch.forget();
    stamp = `${found[1]}-`;
    tick();
  });
  setInterval(show, 1000);
  reload.hidden = true;
  show();
  setTimeout(loop, EVERY);
})();
