/* Returns paragraphs whose lines are too long to read, with their length in characters. */
() => {
  const most = 130;
  const found = [];
  for (const one of document.querySelectorAll('p, li, dd, caption')) {
    const text = one.innerText.trim();
    if (text.length <= most || !one.checkVisibility() || one.querySelector('p, li, ul, table, form, svg')) continue;
    const range = document.createRange();
    range.selectNodeContents(one);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 8))).size;
    if (text.length / lines > most) found.push(`${Math.round(text.length / lines)} a line: ${text.slice(0, 80)} (${one.className})`);
  }
  return found;
}
