/* Returns controls that are smaller than 24 by 24 pixels. */
() => [...document.querySelectorAll('button, summary, input:not([type=hidden]), select')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.ace_editor'))
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 100)])
  .filter(([box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([box, html]) => `${box.width}x${box.height} ${html}`)
