// SPDX-License-Identifier: Apache-2.0
// Transactions per memory access.
import {runColour} from '../colours.js';
import {categoryAxis, createChart, frame, tipHtml, valueAxis} from '../chart.js';
import {h, segmented} from '../dom.js';
import {escapeHtml, number, percent} from '../format.js';
import {absent, section} from './section.js';

const kName = 'memory.transactions_per_access';

export function memory(runs) {
  const having = runs.map((run) => ({run, counts: run.sm(kName)})).filter(({counts}) => counts && typeof counts === 'object');
  if (having.length === 0) return section('memory', 'Transactions per access', undefined, absent('No machine counts transactions.'));
  let mode = 'share';
  const last = Math.max(1, ...having.flatMap(({counts}) => Object.entries(counts).filter(([label, count]) => label !== 'sum' && count > 0).map(([label]) => Number(label))));
  const labels = Object.keys(having[0].counts).filter((label) => label !== 'sum' && !(Number(label) > last));
  const all = ({counts}) => Object.entries(counts).reduce((sum, [label, count]) => sum + (label === 'sum' ? 0 : count), 0);
  const value = (one, label) => (mode === 'share' ? (100 * (one.counts[label] ?? 0)) / Math.max(1, all(one)) : one.counts[label] ?? 0);
  const unit = () => (mode === 'share' ? '% of accesses' : 'accesses');
  const sentence = having[0].run.smDeclaration(kName).sentence;
  const describe = (one, label) => `${number(one.counts[label] ?? 0)} accesses (${percent((one.counts[label] ?? 0) / Math.max(1, all(one)))}) became ${label} ${label === '1' ? 'transaction' : 'transactions'}`;
  const chart = createChart({
    title: 'Transactions per access', sentence: `Histogram: ${sentence}.`, height: 190, file: 'transactions_per_access',
    option: () => ({
      ...frame(),
      grid: {left: 50, right: 14, top: 10, bottom: 38},
      xAxis: categoryAxis(labels, {name: 'transactions', nameLocation: 'middle', nameGap: 24}),
      yAxis: valueAxis({name: unit(), nameLocation: 'middle', nameGap: 36}),
      series: having.map((one) => ({name: one.run.label, type: 'bar', barMaxWidth: 22, barGap: '8%', itemStyle: {color: runColour(one.run.index)}, data: labels.map((label) => value(one, label))})),
      tooltip: {...frame().tooltip, formatter: ({seriesIndex, dataIndex}) => tipHtml(escapeHtml(having[seriesIndex].run.label), [describe(having[seriesIndex], labels[dataIndex]), escapeHtml(sentence)])},
    }),
    table: () => ({
      columns: [
        {label: 'Transactions', unit: 'transactions', numeric: true, sentence: 'Transactions per access.', value: (label) => Number(label)},
        ...having.map((one) => ({label: one.run.label, unit: unit(), sentence, numeric: true, colour: runColour(one.run.index), value: (label) => value(one, label)})),
      ],
      rows: labels,
    }),
    points: () => having.length * labels.length,
    point: (i) => {
      const one = having[Math.floor(i / labels.length)];
      return {text: `${one.run.label}: ${describe(one, labels[i % labels.length])}. ${sentence}`, seriesIndex: Math.floor(i / labels.length), dataIndex: i % labels.length};
    },
    tools: segmented('Scale', [['share', 'Share'], ['count', 'Accesses']], mode, (key) => { mode = key; chart.update(); }),
  });
  return section('memory', 'Transactions per access', having.map((one) => `${one.run.label}: ${number(one.counts.sum / Math.max(1, all(one)))} per access on average`).join('. ') + '.',
    h('ul', {class: 'legend'}, having.map(({run}) => h('li', {}, h('i', {class: 'swatch', style: `background:${runColour(run.index)}`}), run.label))), chart.element);
}
