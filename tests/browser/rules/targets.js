/* Returns controls smaller than 24 by 24 pixels, including their clickable label. */
() => [...document.querySelectorAll('button, summary, input:not([type=hidden]), select')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.ace_editor'))
  .map((one) => [[one, ...(one.labels ?? [])].map((each) => each.getBoundingClientRect()), one.outerHTML.slice(0, 100)])
  .filter(([boxes]) => boxes[0].width && !boxes.some(({ width, height }) => width >= 24 && height >= 24))
  .map(([[{ width, height }], html]) => `${width}x${height} ${html}`)
