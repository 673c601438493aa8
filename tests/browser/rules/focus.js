/* Returns controls without a visible focus ring, or that another element covers while focused. */
() => {
  const stops = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled
      && !one.closest('.ace_editor, [inert]') && one.tabIndex >= 0);
  const found = new Set();
  const look = (one) => {
    one.focus();
    const name = one.outerHTML.slice(0, 120);
    if (document.activeElement !== one) return;
    const style = getComputedStyle(one);
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) === 0) found.add(`no ring: ${name}`);
    const boxes = [...one.getClientRects()];
    const seen = boxes.some(({ left, right, top, bottom }) => [0.1, 0.5, 0.9].some((x) => [0.1, 0.5, 0.9].some((y) => {
      const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
      return hit && (one.contains(hit) || hit.contains(one) && !hit.matches('body, html, main') || [...(one.labels ?? [])].some((label) => label.contains(hit)));
    })));
    if (!seen && style.pointerEvents !== 'none') found.add(`covered: ${name}`);
  };
  // Upwards, where the bar on top could cover what is scrolled to; of many, some.
  const step = Math.ceil(stops.length / 120);
  stops.reverse().filter((_, i) => i % step === 0).forEach(look);
  scrollTo(0, 0);
  document.activeElement.blur();
  return [...found];
}
