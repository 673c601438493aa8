/* Offers the time zone of the browser for the field that the button names. */
"use strict";

(() => {
  const button = document.querySelector("[data-browser-zone]");
  if (!button) return;
  const field = document.getElementById(button.dataset.browserZone);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const show = () => {
    button.hidden = !zone || zone === field.value;
  };
  button.textContent = `Use the time zone of this browser: ${zone}`;
  button.addEventListener("click", () => {
    field.value = zone;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  });
  field.addEventListener("change", show);
  show();
})();
