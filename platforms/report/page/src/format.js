// SPDX-License-Identifier: Apache-2.0
// Numbers, names and tables as text.

/** A readable number: integers with separators, others with four digits; a dash if absent. */
export function number(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return '–';
  if (typeof value !== 'number') return String(value);
  if (!Number.isFinite(value)) return '∞';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  if (size >= 1e-3) return String(Number(value.toPrecision(4)));
  return value.toExponential(2);
}

/** A number for an axis: at most a few letters. */
export function short(value) {
  const size = Math.abs(value);
  for (const [limit, letter] of [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']]) {
    const scale = letter === 'k' ? 1e3 : limit;
    if (size >= limit) return `${Number((value / scale).toPrecision(3))}${letter}`;
  }
  return String(Number(value.toPrecision(4)));
}

/** A number and its unit; shares and plain numbers have none. */
export function withUnit(value, unit) {
  const text = number(value);
  if (text === '–' || !unit) return text;
  return `${text} ${value === 1 ? one(unit) : unit}`;
}

/** The unit of a counter's increment per cycle: threads for "threads x cycles". */
export function perCycle(unit) {
  return unit?.endsWith(' x cycles') ? unit.slice(0, -' x cycles'.length) : `${unit || 'events'}/cycle`;
}

/** The singular of a unit: access, launch, cycle, SM, but s and instructions/cycle. */
function one(unit) {
  if (unit.includes('/') || unit.length < 3) return unit;
  return unit.replace(/ies$/, 'y').replace(/(ss|ch|sh)es$/, '$1').replace(/([^s])s$/, '$1');
}

export function percent(share) {
  if (share === undefined || share === null || Number.isNaN(share)) return '–';
  const value = share * 100;
  return `${value !== 0 && Math.abs(value) < 10 ? Number(value.toPrecision(2)) : Number(value.toFixed(1))} %`;
}

/** A kernel's name as in the source: demangled (Itanium ABI), without parameters. */
export function plainName(mangled) {
  const match = /^_Z(N?)(.*)$/.exec(mangled);
  if (!match) return mangled;
  const names = [];
  let rest = match[2].replace(/^K/, '');
  for (;;) {
    const length = /^(\d+)/.exec(rest);
    if (!length) break;
    const start = length[1].length;
    const name = rest.slice(start, start + Number(length[1]));
    names.push(name.startsWith('_GLOBAL__N_') ? '(anonymous)' : name);
    rest = rest.slice(start + Number(length[1]));
    if (!match[1]) break;
  }
  return names.length > 0 ? names.join('::') : mangled;
}

export function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** RFC 4180. rows: lists of values; undefined and null are empty fields. */
export function csv(rows) {
  const field = (value) => {
    if (value === undefined || value === null || Number.isNaN(value)) return '';
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(',') + '\r\n').join('');
}

/** Order of two values of a table: numbers by value, texts in natural order, absent ones last in either direction. */
export function compare(a, b, descending) {
  const absent = (value) => value === undefined || value === null || value === '' || Number.isNaN(value);
  if (absent(a) || absent(b)) return absent(a) - absent(b);
  const order = typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', {numeric: true});
  return descending ? -order : order;
}

/** File name without folders. */
export function baseName(path) {
  return String(path ?? '').replace(/.*\//, '');
}
