/* Offers the time zone of the browser for the field that the button names. */
"use strict";

(() => {
  const button = document.querySelector("[data-browser-zone]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!button || !zone) return;
  const field = document.getElementById(button.dataset.browserZone);
  button.textContent = `Use the time zone of this browser: ${zone}`;
  button.hidden = false;
  button.addEventListener("click", () => {
    field.value = zone;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  });
})();
