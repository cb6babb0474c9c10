// SPDX-License-Identifier: Apache-2.0
// Tooltips on hover and keyboard focus: the text is in data-tip, first line bold.

export function installTips() {
  const tip = document.getElementById('tip');
  let owner = null;

  function show(element) {
    if (owner === element) return;
    hide();
    owner = element;
    const [first, ...rest] = element.dataset.tip.split('\n');
    tip.replaceChildren(Object.assign(document.createElement('b'), {textContent: first}));
    for (const line of rest) tip.append(Object.assign(document.createElement('div'), {textContent: line}));
    tip.hidden = false;
    element.setAttribute('aria-describedby', 'tip');
    const at = element.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(4, at.left), window.innerWidth - own.width - 4);
    const below = at.bottom + 6;
    tip.style.left = `${left}px`;
    tip.style.top = `${below + own.height > window.innerHeight ? Math.max(4, at.top - own.height - 6) : below}px`;
  }
  function hide() {
    if (owner) owner.removeAttribute('aria-describedby');
    owner = null;
    tip.hidden = true;
  }
  const told = (event) => event.target instanceof Element && event.target.closest('[data-tip]');
  document.addEventListener('mouseover', (event) => {
    const element = told(event);
    if (element) show(element);
    else if (document.activeElement !== owner) hide();
  });
  document.addEventListener('focusin', (event) => {
    const element = told(event);
    if (element) show(element);
    else hide();
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, {capture: true, passive: true});
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
}

/** Announces a text to screen readers. */
export function announce(text) {
  document.getElementById('live').textContent = text;
}
