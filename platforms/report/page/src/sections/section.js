// SPDX-License-Identifier: Apache-2.0
import {h} from '../dom.js';

/** A part of the page. note: text below its title. */
export function section(id, title, note, ...children) {
  return h('section', {id, 'aria-labelledby': `${id}-title`, tabindex: '-1'},
    h('h2', {id: `${id}-title`, text: title}), note && h('p', {class: 'note', text: note}), children);
}

/** Placeholder for a part without data, with how to record it. */
export function absent(what, how) {
  return h('p', {class: 'absent'}, `${what} `, ...(how ? ['Record it with ', h('code', {text: how}), '.'] : []));
}
