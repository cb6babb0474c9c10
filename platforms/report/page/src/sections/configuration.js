// SPDX-License-Identifier: Apache-2.0
// The machines' parameters and their differences.
import {runColour} from '../colours.js';
import {h, tick} from '../dom.js';
import {number, withUnit} from '../format.js';
import {compareConfigurations, declaredPath} from '../run.js';
import {createTable} from '../table.js';
import {section} from './section.js';

function shown(value, unit) {
  if (value === undefined) return '–';
  return /^-?[\d.]+(e[-+]?\d+)?$/.test(value) ? withUnit(Number(value), unit) : value;
}

export function configuration(runs, {parameters = {}}) {
  const all = compareConfigurations(runs.map((run) => run.data.configuration));
  const differing = all.filter(({same}) => !same);
  let onlyDifferences = runs.length > 1;
  const declared = (path) => parameters[declaredPath(path)] ?? [];
  const origin = ({origin: one}) => [one?.published && `published: ${one.published}`, one?.source && `source: ${one.source}`, one?.chosen && 'chosen, not published'].filter(Boolean).join('\n');
  // The shorthand of --set and heddle explain for machines with one SM class.
  const oneClass = all.every(({path}) => !path.startsWith('gpu.sm_classes[1]'));
  const shorter = (path) => (oneClass ? path.replace(/^gpu\.sm_classes\[0\]\.sm\./, 'sm.') : path);
  const columns = [
    {label: 'Parameter', value: ({path}) => path, show: ({path}) => h('code', {text: shorter(path)}), tip: (row) => [row.path, declared(row.path)[1], origin(row)].filter(Boolean).join('\n')},
    ...runs.map((run, i) => ({
      label: run.label, colour: runColour(run.index), value: ({values}) => values[i], show: ({path, values}) => shown(values[i], declared(path)[0]),
      tip: (row) => [row.values[i] === undefined ? 'not a parameter of this machine' : shown(row.values[i], declared(row.path)[0]), row.path, declared(row.path)[1], origin(row)].filter(Boolean).join('\n'), class: ({same}) => (same ? '' : 'differs'),
    })),
    {label: 'Unit', value: ({path}) => declared(path)[0]},
    {label: 'Description', value: ({path}) => declared(path)[1], class: () => 'sentence'},
  ];
  const table = createTable(columns, onlyDifferences ? differing : all, {
    file: 'configuration', caption: 'Configuration', filter: 'Find', limit: 40,
    tools: runs.length > 1 && tick('Only differences', true, (only) => { onlyDifferences = only; table.update(only ? differing : all); }),
  });
  const note = runs.length === 1 ? `${number(all.length)} parameters, including defaults.`
    : differing.length === 0 ? 'All parameters of the machines are equal.'
      : `The machines differ in ${number(differing.length)} of ${number(all.length)} parameters, which are highlighted.`;
  return section('configuration', 'Configuration', note, table.element);
}
