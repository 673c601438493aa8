/* Returns truncated text that no title shows in full; samples may be truncated. */
() => [...document.querySelectorAll('body *')]
  .filter((one) => {
    const style = getComputedStyle(one);
    if (style.overflowX !== 'hidden' && style.overflowX !== 'clip') return false;
    if (one.closest('.visually-hidden, .editor__ace, .sample, svg') || one.title) return false;
    const holds = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    return (holds || one.children.length) && one.clientWidth > 1
      && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
  })
  .map((one) => `${one.scrollWidth}x${one.scrollHeight} in ${one.clientWidth}x${one.clientHeight}: ${one.outerHTML.slice(0, 120)}`)
