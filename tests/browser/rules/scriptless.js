/* Returns elements that do not work, or never load, without scripts. */
() => {
  const found = [];
  const told = (what, one) => found.push(`${what}: ${one.outerHTML.slice(0, 120)}`);
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
  for (const button of shown('button')) {
    if (button.type === 'button' || !button.form) told('sends nothing', button);
  }
  for (const field of shown('input:not([type=hidden]), select, textarea')) {
    if (!field.form && !field.disabled && !field.readOnly) told('belongs to no form', field);
  }
  for (const form of document.forms) {
    const sends = [...form.elements].some((one) => one.matches('button:not([type=button]), input[type=submit]'));
    const typed = [...form.elements].filter((one) => one.matches('input:not([type=hidden], [type=radio], [type=checkbox])'));
    // Enter sends a form with a single field.
    if (!sends && typed.length !== 1 && form.closest('dialog') === null) told('cannot be sent', form);
  }
  for (const link of shown('a[href^="#"]')) {
    const id = decodeURIComponent(link.hash.slice(1));
    if (id && !document.getElementById(id)) told('leads nowhere', link);
  }
  for (const late of document.querySelectorAll('[hx-trigger~="load"], [hx-trigger~="revealed"]')) {
    if (!late.matches('form, a[href]') && !late.querySelector('a[href], button')) told('never comes', late);
  }
  return found;
}
