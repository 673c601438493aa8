/* F6 moves between the text of the editor, the problems and the help, like between the panes of a window. */
"use strict";

document.addEventListener("keydown", (event) => {
  const form = document.querySelector("[data-editor]");
  if (!form || event.key !== "F6" || event.defaultPrevented) return;
  const panes = [form.querySelector(".ace_text-input"), ...form.querySelectorAll("[data-problems], [data-context]")];
  const here = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = Math.max(here, 0) + (event.shiftKey ? -1 : 1);
  panes.at(next % panes.length).focus();
  event.preventDefault();
});
