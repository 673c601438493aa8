/* Returns a sentence for each violation of the structure of a page. */
() => {
  const found = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const outline = (element) => element.outerHTML.slice(0, 120);
  const name = (element) => (
    element.getAttribute('aria-label')
    || (element.getAttribute('aria-labelledby') || '').split(' ')
      .map((id) => document.getElementById(id)?.textContent).join('')
  ).trim();
  const headings = [...document.querySelectorAll('h1')].filter(shown);
  if (headings.length !== 1) found.push(`${headings.length} first-level headings`);
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`id ${id} twice`);
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption) found.push(`no caption: ${outline(table)}`);
  }
  for (const cell of document.querySelectorAll('th:not([scope])')) {
    found.push(`no scope: ${outline(cell)}`);
  }
  for (const picture of document.querySelectorAll('svg')) {
    const silent = picture.closest('[aria-hidden="true"]');
    if (!silent && !picture.getAttribute('aria-label')) found.push(`no name: ${outline(picture)}`);
  }
  for (const part of document.querySelectorAll('nav, aside')) {
    if (shown(part) && !name(part)) found.push(`no name: ${outline(part)}`);
  }
  return found;
}
