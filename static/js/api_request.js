/* The form of an API operation: sends the request with the session, and shows the response. */
"use strict";

(() => {
  const form = document.querySelector("[data-api-request]");
  if (!form) return;
  const shown = document.querySelector("[data-api-response]");
  const status = shown.querySelector("[data-api-status]");
  const content = shown.querySelector("[data-api-body]");
  // Exports may be larger than a page can show.
  const most = 200_000;

  const readable = (text, type) => {
    if (!/json/.test(type)) return text;
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  const request = () => {
    let path = form.dataset.path;
    const query = new URLSearchParams();
    const headers = { Accept: "application/json, */*", "X-CSRFToken": window.csrfToken(form) };
    let body;
    for (const field of form.querySelectorAll("[data-in]")) {
      const { in: place, type } = field.dataset;
      if (place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
      if (place === "query" && field.value) query.append(field.name, field.value);
      if (place === "header" && field.value) headers[field.name] = field.value;
      if (place === "body") {
        headers["Content-Type"] = type;
        body = field.value;
      }
    }
    return [query.size ? `${path}?${query}` : path, { method: form.dataset.method, headers, body }];
  };

  const show = (line, text) => {
    status.textContent = line;
    content.textContent = text.length > most ? `${text.slice(0, most)}\n…` : text;
    content.hidden = text === "";
    shown.hidden = false;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    const began = performance.now();
    try {
      const answer = await fetch(...request());
      const text = await answer.text();
      const time = Math.round(performance.now() - began);
      const type = answer.headers.get("Content-Type") ?? "";
      show(`${answer.status} ${answer.statusText} in ${time} ms`, readable(text, type));
    } catch (error) {
      show(`The request could not be sent: ${error.message}`, "");
    } finally {
      button.disabled = false;
      button.focus();
    }
  });
})();
