// SPDX-License-Identifier: Apache-2.0
// Every number of the runs.
import {runColour} from '../colours.js';
import {choice, h, tick} from '../dom.js';
import {number, withUnit} from '../format.js';
import {listen, state} from '../state.js';
import {createTable} from '../table.js';
import {section} from './section.js';

/** Rows {owner, name, values by run, unit, sentence} of the classes, or of the instances of one kind. */
export function statisticRows(runs, scope) {
  const rows = new Map();
  const put = (owner, name, value, run, declared) => {
    const key = `${owner} ${name}`;
    if (!rows.has(key)) rows.set(key, {owner, name, values: runs.map(() => undefined), unit: declared.unit, sentence: declared.sentence});
    rows.get(key).values[runs.indexOf(run)] = value;
  };
  const putAll = (owner, values, run, declared) => {
    for (const [name, value] of Object.entries(values ?? {})) {
      if (typeof value !== 'object' || value === null) put(owner, name, value, run, declared(name));
      else for (const [label, count] of Object.entries(value)) put(owner, `${name}[${label}]`, count, run, declared(name));
    }
  };
  for (const run of runs) {
    if (scope === 'classes') {
      putAll('machine', run.data.statistics?.machine, run, (name) => run.data.declarations?.machine?.[name] ?? {});
      for (const [owner, values] of Object.entries(run.classes)) putAll(owner, values, run, (name) => run.declaration(owner, name));
    } else {
      putAll(scope, run.instances[scope], run, (name) => run.instanceDeclaration(scope, name));
    }
  }
  // Place rows that only later runs have next to related ones.
  const place = (pick) => {
    const places = new Map();
    for (const row of rows.values()) if (!places.has(pick(row))) places.set(pick(row), places.size);
    return (row) => places.get(pick(row));
  };
  const owner = place((row) => row.owner), statistic = place((row) => `${row.owner} ${row.name.replace(/\[.*/, '')}`);
  return [...rows.values()].sort((a, b) => owner(a) - owner(b) || statistic(a) - statistic(b) || (a.name.includes('[') ? a.name.localeCompare(b.name, 'en', {numeric: true}) : 0));
}

export function statistics(runs) {
  let scope = 'classes', zeros = false;
  const rows = () => statisticRows(runs, scope).filter(({values}) => zeros || values.some((value) => value));
  const columns = () => [
    {label: 'Owner', sentence: 'A class, summed over its instances, or one instance.', value: ({owner}) => owner},
    {label: 'Statistic', value: ({name}) => name, show: ({name}) => h('code', {text: name}), tip: ({name, unit, sentence}) => `${name}${unit ? `, ${unit}` : ''}\n${sentence ?? ''}`},
    ...runs.map((run, i) => ({
      label: run.label, colour: runColour(run.index), numeric: true, value: ({values}) => values[i],
      tip: ({name, values, unit, sentence}) => `${withUnit(values[i], unit)}\n${name}: ${sentence ?? ''}`,
    })),
    ...(runs.length > 1 ? runs.map((run, i) => ({
      label: `${run.label} / baseline`, unit: 'times', numeric: true, sentence: 'Value divided by the value of the baseline.',
      value: ({values}) => (typeof values[i] === 'number' && values[state.baseline] ? values[i] / values[state.baseline] : undefined),
    })).filter((_, i) => i !== state.baseline) : []),
    {label: 'Unit', value: ({unit}) => unit},
    {label: 'Description', value: ({sentence}) => sentence, class: () => 'sentence'},
  ];
  const place = h('div');
  let table;
  function build() {
    table = createTable(columns(), rows(), {
      file: 'statistics', caption: 'Statistics', filter: 'Find', limit: 40,
      tools: [
        choice('Owner', [['classes', 'machine and classes'], ...new Set(runs.flatMap((run) => Object.keys(run.instances)))].map((one) => (Array.isArray(one) ? one : [one, one])), scope, (one) => { scope = one; table.update(rows()); }),
        tick('Show zeros', zeros, (on) => { zeros = on; table.update(rows()); }),
      ],
    });
    place.replaceChildren(table.element);
  }
  build();
  listen('baseline', build);
  return section('statistics', 'All statistics', 'All statistics of the whole run, with units and descriptions.', place);
}
