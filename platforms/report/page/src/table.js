// SPDX-License-Identifier: Apache-2.0
// Tables: sortable by clicking a column head, filterable, downloadable as CSV. A table is one Tab stop; arrows move
// between its cells, and the focused cell shows its tooltip.
import {choice, download, h} from './dom.js';
import {compare, csv, number} from './format.js';

/** A table.
 *  columns: [{label, unit, sentence, value(row), show(row): text or node, tip(row), numeric, colour, onlyCsv}]; a column that
 *  is onlyCsv is not shown.
 *  options: caption, file (of the CSV), filter (its label), limit (rows drawn initially), className(row), detail(row):
 *  rows that a row expands to, or null, with the same columns.
 *  Result: {element, update(rows)}. */
export function createTable(allColumns, rows, options = {}) {
  const columns = allColumns.filter(({onlyCsv}) => !onlyCsv);
  let order = null; // {column, descending}
  let wanted = '';
  let limit = options.limit ?? 400;
  const opened = new Set();
  const body = h('tbody');
  const heads = columns.map((column) => {
    const button = h('button', {
      type: 'button', class: 'sort', 'data-tip': tipOf(column.label, column.unit, column.sentence),
      onclick: () => {
        const descending = order?.column === column ? !order.descending : Boolean(column.numeric);
        order = {column, descending};
        fill();
      },
    }, column.colour ? h('span', {class: 'run'}, h('i', {class: 'swatch', style: `background:${column.colour}`}), column.label) : column.label,
    column.unit && h('small', {text: column.unit}));
    return h('th', {scope: 'col', class: column.numeric ? 'numeric' : undefined, 'aria-sort': 'none'}, button);
  });
  const table = h('table', {class: options.class}, options.caption && h('caption', {class: 'unseen', text: options.caption}),
    h('thead', {}, h('tr', {}, heads)), body);
  const more = h('button', {type: 'button', class: 'more', onclick: () => { limit *= 10; fill(); }});
  const count = h('span', {class: 'quiet', role: 'status'});
  const tools = h('div', {class: 'tools'},
    options.tools,
    options.filter && h('label', {class: 'choice'}, h('span', {text: options.filter}),
      h('input', {type: 'search', oninput: (event) => { wanted = event.target.value.toLowerCase(); fill(); }})),
    count,
    h('button', {type: 'button', class: 'csv', text: 'CSV', 'data-tip': 'Download this table as CSV\nAll rows, sorted and filtered as shown',
      onclick: () => download(`${options.file ?? 'table'}.csv`, asCsv())}));
  const element = h('div', {class: 'table'}, tools, h('div', {class: 'scroll'}, table), more);

  function chosen() {
    let list = rows;
    if (wanted) list = list.filter((row) => columns.some((column) => String(column.value(row) ?? '').toLowerCase().includes(wanted)));
    if (order) {
      const {column, descending} = order;
      list = [...list].sort((a, b) => compare(column.value(a), column.value(b), descending));
    }
    return list;
  }
  function asCsv() {
    const head = allColumns.map(({label, unit}) => (unit ? `${label} [${unit}]` : label));
    return csv([head, ...chosen().map((row) => allColumns.map((column) => column.value(row)))]);
  }
  function cell(column, row, first, detail) {
    const shown = column.show ? column.show(row, detail) : number(column.value(row));
    const value = column.value(row);
    const tip = column.tip ? column.tip(row) : column.sentence && tipOf(`${column.numeric ? number(value) : value ?? ''} ${column.unit ?? ''}`.trim(), '', `${column.label}: ${column.sentence}`);
    const element = h(first && !detail ? 'th' : 'td', {
      scope: first && !detail ? 'row' : undefined, tabindex: '-1', 'data-tip': tip || undefined,
      class: [column.numeric ? 'numeric' : '', column.class?.(row) ?? ''].join(' ').trim() || undefined,
    });
    element.append(shown ?? '');
    return element;
  }
  function rowElement(row, detail) {
    const cells = columns.map((column, i) => cell(column, row, i === 0, detail));
    const line = h('tr', {class: [options.className?.(row, detail), detail ? 'detail' : ''].filter(Boolean).join(' ') || undefined}, cells);
    const details = !detail && options.detail?.(row);
    if (details) {
      const toggle = h('button', {
        type: 'button', class: 'open', tabindex: '-1', 'aria-expanded': String(opened.has(row)), 'aria-label': options.detailLabel?.(row) ?? 'Details',
        onclick: () => open(line, row, toggle),
      });
      cells[0].prepend(toggle);
    }
    return line;
  }
  function open(line, row, toggle) {
    if (opened.delete(row)) {
      while (line.nextElementSibling?.classList.contains('detail')) line.nextElementSibling.remove();
    } else {
      opened.add(row);
      line.after(...options.detail(row).map((one) => rowElement(one, true)));
    }
    toggle.setAttribute('aria-expanded', String(opened.has(row)));
  }
  function fill() {
    columns.forEach((column, i) => {
      const sorted = order?.column === column;
      heads[i].setAttribute('aria-sort', sorted ? (order.descending ? 'descending' : 'ascending') : 'none');
    });
    const list = chosen();
    const lines = [];
    for (const row of list.slice(0, limit)) {
      lines.push(rowElement(row, false));
      if (opened.has(row)) lines.push(...options.detail(row).map((one) => rowElement(one, true)));
    }
    body.replaceChildren(...lines);
    const start = body.querySelector('th, td');
    if (start) start.tabIndex = 0;
    more.hidden = list.length <= limit;
    more.textContent = `Show more of the ${number(list.length)} rows`;
    count.hidden = rows.length < 15 && !wanted;
    count.textContent = wanted ? `${number(list.length)} of ${number(rows.length)} rows` : `${number(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
  }

  table.addEventListener('keydown', (event) => {
    const at = event.target.closest('tbody th, tbody td');
    if (!at) return;
    const line = at.parentElement;
    const to = {
      ArrowRight: () => at.nextElementSibling,
      ArrowLeft: () => at.previousElementSibling,
      ArrowDown: () => line.nextElementSibling?.children[at.cellIndex],
      ArrowUp: () => line.previousElementSibling?.children[at.cellIndex],
      Home: () => line.firstElementChild,
      End: () => line.lastElementChild,
    }[event.key];
    if (to) {
      event.preventDefault();
      const next = to();
      if (!next) return;
      at.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      const toggle = line.querySelector('button.open');
      if (!toggle || event.target === toggle) return;
      event.preventDefault();
      toggle.click();
    }
  });
  table.addEventListener('focusin', (event) => {
    const at = event.target.closest('tbody th, tbody td');
    if (!at) return;
    for (const one of body.querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
    at.tabIndex = 0;
  });
  fill();
  return {
    element,
    update(next) {
      rows = next;
      fill();
    },
    asCsv,
  };
}

/** First line: title; then unit and description. */
export function tipOf(what, unit, sentence) {
  return [unit ? `${what}, ${unit}` : what, sentence].filter(Boolean).join('\n');
}

/** Selector of runs, if there are several. */
export function runChoice(label, runs, chosen, change) {
  if (runs.length < 2) return undefined;
  return choice(label, runs.map((run) => [String(run.index), run.label]), String(chosen), (value) => change(Number(value)));
}
