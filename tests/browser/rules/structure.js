/* Returns a sentence for each rule of structure that the page breaks. */
() => {
  const found = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const outline = (element) => element.outerHTML.slice(0, 120);
  const name = (element) => (
    element.getAttribute('aria-label')
    || (element.getAttribute('aria-labelledby') || '').split(' ')
      .map((id) => document.getElementById(id)?.textContent).join('')
    || [...(element.labels || [])].map((label) => label.textContent).join('')
    || element.textContent
    || element.querySelector('[aria-label]')?.getAttribute('aria-label')
    || ''
  ).trim();
  const headings = [...document.querySelectorAll('h1')].filter(shown);
  if (headings.length !== 1) found.push(`${headings.length} first-level headings`);
  if (document.querySelectorAll('main').length !== 1) found.push('not one main landmark');
  if (!document.title.trim()) found.push('no title');
  if (!document.documentElement.lang) found.push('no language');
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`id ${id} twice`);
  for (const input of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    const label = input.getAttribute('aria-label') || input.labels?.length;
    if (!label && shown(input)) found.push(`no label: ${outline(input)}`);
  }
  for (const element of document.querySelectorAll('button, a[href], summary')) {
    if (shown(element) && !name(element)) found.push(`no name: ${outline(element)}`);
  }
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption) found.push(`no caption: ${outline(table)}`);
  }
  for (const cell of document.querySelectorAll('th:not([scope])')) {
    found.push(`no scope: ${outline(cell)}`);
  }
  for (const picture of document.querySelectorAll('svg')) {
    const silent = picture.getAttribute('aria-hidden') === 'true';
    if (!silent && !picture.getAttribute('aria-label')) found.push(`no name: ${outline(picture)}`);
  }
  for (const nav of document.querySelectorAll('nav, aside, section')) {
    if (shown(nav) && !name(nav)) found.push(`no name: ${outline(nav)}`);
  }
  for (const one of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
    for (const attribute of ['aria-labelledby', 'aria-describedby']) {
      for (const id of (one.getAttribute(attribute) || '').split(' ').filter(Boolean)) {
        if (!document.getElementById(id)) found.push(`${attribute} points nowhere: ${id}`);
      }
    }
  }
  let level = 1;
  for (const heading of document.querySelectorAll('main h1, main h2, main h3, main h4')) {
    if (!shown(heading)) continue;
    const next = Number(heading.tagName[1]);
    if (next > level + 1) found.push(`heading skips a level: ${outline(heading)}`);
    level = next;
  }
  return found;
}
