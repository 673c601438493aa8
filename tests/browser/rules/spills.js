/* Returns controls and cells whose text overflows into their neighbors. */
() => [...document.querySelectorAll('button, summary, a.button, a.chip, .chip, .menu__item, th, td, dt, dd')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.editor__ace, .diff, .visually-hidden'))
  .filter((one) => {
    if (getComputedStyle(one.closest('thead') ?? one).position === 'absolute') return false;
    if (one.scrollWidth <= one.clientWidth + 1 || !one.clientWidth) return false;
    return getComputedStyle(one).overflowX === 'visible';
  })
  .map((one) => `${one.scrollWidth} in ${one.clientWidth}: ${one.outerHTML.slice(0, 120)}`)
