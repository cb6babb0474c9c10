// SPDX-License-Identifier: Apache-2.0
// Heat maps: SMs over time, SMs over the whole run, banks of memory.
import {heatColours} from '../colours.js';
import {categoryAxis, createChart, frame, ink, tipHtml, valueAxis} from '../chart.js';
import {choice, h, tick} from '../dom.js';
import {escapeHtml, number, perCycle, short, withUnit} from '../format.js';
import {binned, roundLabels} from '../series.js';
import {listen, state} from '../state.js';
import {runChoice} from '../table.js';
import {absent, section} from './section.js';

/** A heat map of cells {x, y, value, text}; xs and ys are the names along the axes. */
function heatMap({title, unit, sentence, file, cells, tools, xName, describe, height}) {
  let at = cells(), logarithmic = false;
  const strength = (value) => (logarithmic ? Math.log10(1 + (99 * value) / (at.largest || 1)) / 2 : value / (at.largest || 1));
  const measure = () => { at.largest = at.list.reduce((most, {value}) => Math.max(most, value), 0); };
  measure();
  const chart = createChart({
    title, sentence, file, tools: [tools, tick('log', false, (on) => { logarithmic = on; chart.update(); })],
    height: () => height ?? 40 + Math.max(4, at.ys.length) * (at.ys.length > 24 ? 9 : 17),
    option: () => {
      return {
        ...frame(),
        grid: {left: 4, right: 58, top: 4, bottom: 18, containLabel: true},
        xAxis: categoryAxis(at.xs, {name: xName, nameLocation: 'middle', nameGap: 22, nameTextStyle: {color: ink().quiet}, axisLabel: {color: ink().quiet, hideOverlap: true, ...at.xLabels}}),
        yAxis: categoryAxis(at.ys, {inverse: true, axisLabel: {hideOverlap: true, fontSize: at.ys.length > 24 ? 9 : 11}}),
        visualMap: {
          min: 0, max: 1, dimension: 3, calculable: false, orient: 'vertical', right: 0, top: 5, itemWidth: 10, itemHeight: 52, textGap: 4, padding: 0, precision: 3,
          text: [`${short(at.largest)}`, '0'], textStyle: {color: ink().quiet, fontSize: 10}, inRange: {color: heatColours(state.dark)},
        },
        series: [{type: 'heatmap', data: at.list.map(({x, y, value}) => [x, y, value, strength(value)]), itemStyle: {borderColor: ink().panel, borderWidth: at.xs.length > 60 ? 0 : 1}, progressive: 0}],
        tooltip: {...frame().tooltip, formatter: ({dataIndex}) => tipHtml(escapeHtml(describe(at.list[dataIndex], at)), [`${withUnit(at.list[dataIndex].value, at.unit ?? unit)}`, escapeHtml(at.sentence ?? sentence)])},
      };
    },
    table: () => ({
      columns: [
        {label: 'Row', value: ({y}) => at.ys[y]},
        {label: xName, numeric: true, value: ({x}) => at.xs[x], show: ({x}) => String(at.xs[x])},
        {label: 'Value', unit: at.unit ?? unit, sentence: at.sentence ?? sentence, numeric: true, value: ({value}) => value},
      ],
      rows: at.list,
    }),
    points: () => at.list.length,
    point: (i) => ({text: `${describe(at.list[i], at)}: ${withUnit(at.list[i].value, at.unit ?? unit)}. ${at.sentence ?? sentence}`, seriesIndex: 0, dataIndex: i}),
  });
  return {
    element: chart.element,
    refresh() {
      at = cells();
      measure();
      chart.update();
    },
  };
}

/** SMs over time, for a counter recorded per SM. */
function smsOverTime(runs) {
  const recorded = runs.filter((run) => run.data.time_series?.columns?.some((name) => /^sm\d+\./.test(name)));
  if (recorded.length === 0) return absent('No run recorded SM counters over time.', 'heddle run --inspect -o FOLDER PROGRAM');
  const counters = [...new Set(recorded.flatMap((run) => run.data.time_series.columns.flatMap((name) => /^sm\d+\.(.*)$/.exec(name)?.[1] ?? [])))];
  let run = recorded[0];
  let counter = counters.includes('issue.warp_instructions') ? 'issue.warp_instructions' : counters[0];
  const bins = 120;
  const map = heatMap({
    title: 'SMs over time', file: 'sms_over_time', xName: 'core cycle',
    sentence: 'Increment of the counter per cycle and SM, over the cycles shown in the charts over time.',
    cells: () => {
      const table = run.data.time_series.table, cycle = table.column('cycle');
      const [from, to] = state.zoom;
      const names = table.columns.filter((name) => new RegExp(`^sm\\d+\\.`).test(name) && name.replace(/^sm\d+\./, '') === counter);
      const list = names.flatMap((name, y) => [...binned(cycle, table.column(name), from, to + 1, bins)]
        .map((value, x) => ({x, y, value})).filter(({value}) => !Number.isNaN(value)));
      const {unit, sentence} = run.columnDeclaration(names[0] ?? '');
      const xs = Array.from({length: bins}, (_, i) => Math.round(from + ((to - from) * i) / bins));
      return {
        list, ys: names.map((name) => name.split('.')[0]), xs, xLabels: roundLabels(xs, to),
        unit: perCycle(unit), sentence: `${counter}: ${sentence}`,
      };
    },
    describe: ({x, y}, at) => `${at.ys[y]}, cycles from ${number(at.xs[x])}`,
    tools: [
      runChoice('Run', recorded, run.index, (index) => { run = runs[index]; map.refresh(); }),
      choice('Counter', counters.map((name) => [name, name]), counter, (name) => { counter = name; map.refresh(); }),
    ],
  });
  listen('zoom', () => map.refresh());
  return map.element;
}

/** One whole-run statistic for all SMs of all runs. */
function sms(runs) {
  const having = runs.filter((run) => run.sms.length > 0);
  if (having.length === 0) return absent('The machines have no SMs.');
  const numeric = (run) => Object.entries(run.instances[run.sms[0]]).filter(([, value]) => typeof value === 'number').map(([name]) => name);
  const names = [...new Set(having.flatMap(numeric))];
  let name = names.includes('issue.warp_instructions') ? 'issue.warp_instructions' : names[0];
  const map = heatMap({
    title: 'SMs, whole run', file: 'sms', xName: 'SM', sentence: 'A statistic of each SM over the whole run.',
    cells: () => {
      const {unit, sentence} = having.map((run) => run.smDeclaration(name)).find((one) => one.sentence) ?? {};
      const most = Math.max(...having.map((run) => run.sms.length));
      return {
        xs: Array.from({length: most}, (_, i) => String(i)), ys: having.map((run) => run.label), unit, sentence: `${name}: ${sentence}`,
        list: having.flatMap((run, y) => run.sms.map((sm, x) => ({x, y, value: run.instances[sm][name]})).filter(({value}) => value !== undefined)),
      };
    },
    describe: ({x, y}, at) => `${at.ys[y]}, SM ${at.xs[x]}`,
    tools: choice('Statistic', names.map((one) => [one, one]), name, (one) => { name = one; map.refresh(); }),
  });
  return map.element;
}

const kBank = /^(.*?)bank(\d+)\.(.+)$/;

/** Banks of every controller of a run. */
export function banksOf(run) {
  const rows = [];
  for (const [instance, values] of Object.entries(run.instances)) {
    const banks = new Map();
    for (const [name, value] of Object.entries(values)) {
      const match = kBank.exec(name);
      if (!match || typeof value !== 'number') continue;
      const bank = Number(match[2]);
      if (!banks.has(bank)) banks.set(bank, {});
      banks.get(bank)[match[3]] = {value, name};
    }
    if (banks.size > 0) rows.push({instance, banks});
  }
  return rows;
}

function banks(runs) {
  const having = runs.map((run) => ({run, rows: banksOf(run)})).filter(({rows}) => rows.length > 0);
  const without = runs.filter((run) => !having.some((one) => one.run === run));
  const note = without.length > 0 && absent(`${without.map((run) => run.label).join(', ')}: the memory of this machine has no banks with statistics.`);
  if (having.length === 0) return note;
  const names = [...new Set(having.flatMap(({rows}) => [...rows[0].banks.values()].flatMap((values) => Object.keys(values))))];
  let name = names.includes('reads') ? 'reads' : names[0];
  const map = heatMap({
    title: 'Banks, whole run', file: 'banks', xName: 'bank', sentence: 'A statistic of each bank, by memory controller.',
    cells: () => {
      const ys = [], list = [];
      let declared = {};
      const ids = [...new Set(having.flatMap(({rows}) => rows.flatMap(({banks: one}) => [...one.keys()])))].sort((a, b) => a - b);
      for (const {run, rows} of having) {
        for (const {instance, banks: one} of rows) {
          for (const [bank, values] of one) {
            if (!values[name]) continue;
            list.push({x: ids.indexOf(bank), y: ys.length, value: values[name].value});
            declared = run.declaration(instance.replace(/\d+$/, ''), values[name].name);
          }
          ys.push(runs.length > 1 ? `${run.label} ${instance}` : instance);
        }
      }
      return {xs: ids.map(String), ys, list, unit: declared.unit, sentence: `${name}: ${declared.sentence}`};
    },
    describe: ({x, y}, at) => `${at.ys[y]}, bank ${at.xs[x]}`,
    tools: choice('Statistic', names.map((one) => [one, one]), name, (one) => { name = one; map.refresh(); }),
  });
  return h('div', {}, map.element, note);
}

export function heat(runs) {
  return section('heat', 'Heat maps', 'How evenly work and memory traffic are distributed.', h('div', {class: 'pairs top'}, h('div', {}, smsOverTime(runs), sms(runs)), banks(runs)));
}
