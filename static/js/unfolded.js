/* Differences: keeps in the address which groups of changes are unfolded. */
"use strict";

for (const list of document.querySelectorAll("[data-groups]")) {
  const groups = [...list.querySelectorAll("details[data-group]")];
  list.addEventListener(
    "toggle",
    () => {
      const url = new URL(location.href);
      const open = groups.filter((group) => group.open).map((group) => group.dataset.group);
      if (groups.some((group) => group.open !== group.defaultOpen) || url.searchParams.has("groups")) {
        url.searchParams.set("groups", open.join(","));
        history.replaceState(history.state, "", url);
      }
    },
    true,
  );
  for (const group of groups) group.defaultOpen = group.open;
}
