// SPDX-License-Identifier: Apache-2.0
// What the machines are made of, and in what they differ.
import {runColour} from '../colours.js';
import {h, tick} from '../dom.js';
import {number} from '../format.js';
import {compareConfigurations} from '../run.js';
import {createTable} from '../table.js';
import {section} from './section.js';

export function configuration(runs) {
  const all = compareConfigurations(runs.map((run) => run.data.configuration));
  const differing = all.filter(({same}) => !same);
  let onlyDifferences = runs.length > 1;
  const origin = ({origin: one}) => [one?.published && `published: ${one.published}`, one?.source && `source: ${one.source}`, one?.chosen && 'chosen, not published'].filter(Boolean).join('\n');
  const columns = [
    {label: 'Parameter', value: ({path}) => path, show: ({path}) => h('code', {text: path}), tip: (row) => `${row.path}\n${origin(row) || 'no source is named'}\nheddle explain says what it means and may be`},
    ...runs.map((run, i) => ({
      label: run.label, colour: runColour(run.index), value: ({values}) => values[i], show: ({values}) => values[i] ?? '–',
      tip: (row) => `${row.values[i] ?? 'not a parameter of this machine'}\n${row.path}\n${origin(row)}`, class: ({same}) => (same ? '' : 'differs'),
    })),
  ];
  const table = createTable(columns, onlyDifferences ? differing : all, {
    file: 'configuration', caption: 'Configuration', filter: 'Find', limit: 40,
    tools: runs.length > 1 && tick('Only what differs', true, (only) => { onlyDifferences = only; table.update(only ? differing : all); }),
  });
  const note = runs.length === 1 ? `${number(all.length)} parameters, every default resolved.`
    : differing.length === 0 ? 'The machines are alike in every parameter.'
      : `The machines differ in ${number(differing.length)} of ${number(all.length)} parameters; values that differ are marked.`;
  return section('configuration', 'Configuration', note, table.element);
}
