/* Returns elements that should not be printed, and content narrower than the paper. */
() => {
  const found = [];
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length);
  for (const one of shown('.topbar, .rail, .skip, button, .live, [data-live-reload], dialog, .pager, .segments, .filters, input[type=search], input[type=range]')) {
    found.push(`shown: ${one.outerHTML.slice(0, 100)}`);
  }
  const main = document.querySelector('main');
  const { left, right } = main.getBoundingClientRect();
  if (left > 1 || right < document.documentElement.clientWidth - 1) found.push(`main is ${left} to ${right}`);
  const ground = getComputedStyle(document.body).backgroundColor;
  if (!/^(rgb\(255, 255, 255\)|rgba\(0, 0, 0, 0\))$/.test(ground)) found.push(`ground ${ground}`);
  if (document.documentElement.scrollWidth > innerWidth) found.push(`wide ${document.documentElement.scrollWidth}`);
  return found;
}
