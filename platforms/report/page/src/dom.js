// SPDX-License-Identifier: Apache-2.0

/** An element. Attributes: `on...` are listeners, `text` its text; false and undefined ones are omitted. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (name === 'text') element.textContent = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** A labelled choice. options: [[value, label]]; change(value) is called on selection. */
export function choice(label, options, chosen, change) {
  const select = h('select', {onchange: () => change(select.value)},
    options.map(([value, text]) => h('option', {value, selected: value === chosen}, text)));
  return h('label', {class: 'choice'}, h('span', {text: label}), select);
}

/** A check box. */
export function tick(label, checked, change) {
  const box = h('input', {type: 'checkbox', checked, onchange: () => change(box.checked)});
  return h('label', {class: 'choice'}, box, h('span', {text: label}));
}

/** Several exclusive choices as buttons in a row. */
export function segmented(label, options, chosen, change) {
  const group = h('div', {class: 'segmented', role: 'group', 'aria-label': label});
  for (const [value, text] of options) {
    group.append(h('button', {
      type: 'button', 'aria-pressed': String(value === chosen), text,
      onclick: (event) => {
        for (const button of group.children) button.setAttribute('aria-pressed', String(button === event.target));
        change(value);
      },
    }));
  }
  return group;
}

/** Offers a file for download. */
export function download(name, text) {
  const link = h('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/csv'})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
