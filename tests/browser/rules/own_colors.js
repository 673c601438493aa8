/* Returns elements painted in the page's colors while forced colors are active. */
() => {
  const probe = document.body.appendChild(document.createElement('i'));
  const system = new Set(['none']);
  for (const name of ['Canvas', 'CanvasText', 'LinkText', 'VisitedText', 'ActiveText', 'ButtonFace', 'ButtonText',
    'ButtonBorder', 'Field', 'FieldText', 'Highlight', 'HighlightText', 'SelectedItem', 'SelectedItemText', 'GrayText', 'Mark', 'MarkText']) {
    probe.style.setProperty('forced-color-adjust', 'none');
    probe.style.color = name;
    system.add(getComputedStyle(probe).color);
  }
  probe.remove();
  const own = (value) => !/^url\(|, 0\)$|\/ 0\)$/.test(value) && !system.has(value);
  const found = new Set();
  for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('.editor__ace, defs, .visually-hidden')) continue;
    const style = getComputedStyle(one);
    if (style.forcedColorAdjust === 'none') continue;
    const parts = one instanceof SVGElement && !(one instanceof SVGSVGElement)
      ? ['fill', 'stroke'] : ['color', 'backgroundColor', 'borderTopColor'];
    for (const part of parts) {
      if (own(style[part])) found.add(`${part} ${style[part]}: ${(one.className.baseVal ?? one.className) || one.outerHTML.slice(0, 80)} in ${one.parentElement.className.baseVal ?? one.parentElement.className}`);
    }
  }
  return [...found];
}
