/* Suggests the slug of a new organization from its name, until the slug is typed by hand. */
"use strict";

(() => {
  const slug = document.querySelector("[data-slug-of]");
  if (!slug) return;
  const name = document.getElementById(slug.dataset.slugOf);

  // The same form as the server derives.
  const slugOf = (text) =>
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9_\s-]/g, "")
      .replace(/[-_\s]+/g, "-")
      .slice(0, slug.maxLength)
      .replace(/^-|-$/g, "");

  let isTyped = slug.value !== "";
  slug.addEventListener("input", () => {
    isTyped = slug.value !== "";
  });
  name.addEventListener("input", () => {
    if (!isTyped) slug.value = slugOf(name.value);
  });
})();
