/*
 * Updates the regions marked data-live by polling the page's address with the displayed stamp, and
 * shows the age of the data according to the server.
 *
 * 204 means no change; the stamp and the age are in the headers of every response.
 */
"use strict";

(() => {
  const poll = document.getElementById("live-poll");
  const status = document.querySelector("[data-live-status]");
  if (!poll || !status) return;

  const EVERY = 2000;
  const SLOWEST = 15000;
  // Three polls without a response mean that the server is away; data ten seconds old does not.
  const MISSES = 3;
  const text = status.querySelector("[data-live-text]");
  const pause = document.querySelector("[data-live-pause]");
  const reload = document.querySelector("[data-live-reload]");
  const retry = document.querySelector("[data-live-retry]");
  const patch = new window.Patch();
  let stamp = poll.dataset.version;
  // The server read the page's data after the request was sent, so ages are counted from then.
  let freshAt = performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.requestStart ?? 0);
  let misses = 0;
  let paused = false;
  let asking = false;
  // Why updates have stopped: {text, again (title of the link), retry}. Null if polls succeed.
  let trouble = null;
  let isOver = false;
  let isOld = false;

  // Times of day as the server writes them: 14:05:09 UTC+1, or 2:05:09 PM UTC+1.
  const isShort = status.dataset.clock === "12";
  const times = (zone) =>
    new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hour: isShort ? "numeric" : "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: isShort ? "h12" : "h23",
      timeZoneName: "shortOffset",
    });
  let format = null;
  try {
    format = times(status.dataset.zone);
  } catch {
    // This browser does not know the zone.
    format = times("UTC");
  }
  const clock = () => format.format(Number(stamp.split("-")[0])).replace(/\s/g, " ").replace("GMT", "UTC");
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

  // A permanent error is shown, and polling stops.
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
    // A failed part is requested again, even without a change of the data.
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
  // A page from the back-forward cache has old data.
  addEventListener("pageshow", (event) => {
    if (event.persisted) tick();
  });
  // A region loaded with other filters is newer than the others, so the whole page is polled.
  document.addEventListener("htmx:afterSwap", (event) => {
    const found = /id="live-poll" data-version="(\d+)-/.exec(event.detail.xhr?.responseText ?? "");
    if (!found) return;
    patch.forget();
    stamp = `${found[1]}-`;
    tick();
  });
  // Loaded advice is kept by updates; after a new config version or decision, it is loaded again.
  const advice = document.querySelector("[data-advice-of]");
  if (advice) {
    new MutationObserver(() => {
      if (document.getElementById("changes")) window.htmx.trigger(advice, "renew");
    }).observe(advice, { attributeFilter: ["data-advice-of"] });
  }
  setInterval(show, 1000);
  reload.hidden = true;
  show();
  setTimeout(loop, EVERY);
})();
