/* Returns elements wider than the window; the editor, diffs and sources may scroll. */
() => {
  const width = document.scrollingElement.scrollWidth;
  if (width <= innerWidth) return [];
  const wide = [...document.querySelectorAll('main *, header *')].filter(
    (element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1
      && !element.closest('.editor__ace, .diff, [data-source]'));
  return [`${width} of ${innerWidth}`, ...wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 100))];
}
