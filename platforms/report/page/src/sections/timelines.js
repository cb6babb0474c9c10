// SPDX-License-Identifier: Apache-2.0
// Residency of blocks and warps.
import {turnColour} from '../colours.js';
import {categoryAxis, createChart, cycleAxis, frame, tipHtml} from '../chart.js';
import {choice, h} from '../dom.js';
import {escapeHtml, number, plainName, withUnit} from '../format.js';
import {visibleBars} from '../spans.js';
import {state} from '../state.js';
import {runChoice} from '../table.js';
import {absent, section} from './section.js';

const kJoined = '#9aa0a8';

/** The number of bars that can be drawn in a quarter of a second; more than this are merged. */
const kMostBars = 10000;

/** A timeline: rows are slots. lanes(run, sm): {names, row(i)} of the table of spans. */
function timeline(runs, {title, what, part, unit, sentence, everySm, slot, slotName, file}) {
  const having = runs.filter((run) => run.data.spans?.[part]?.table?.rows > 0);
  let run = having[0], sm = everySm ? -1 : 0, at;
  const columns = () => {
    const table = run.data.spans[part].table;
    return Object.fromEntries(table.columns.map((name) => [name, table.column(name)]));
  };
  const smsOf = () => [...new Set(columns().sm)].sort((a, b) => a - b);
  function collect() {
    const spans = columns();
    const ids = new Set();
    for (let i = 0; i < spans.sm.length; ++i) if (sm < 0 || spans.sm[i] === sm) ids.add(spans.sm[i] * 65536 + spans[slot][i]);
    const order = [...ids].sort((a, b) => a - b);
    const place = new Map(order.map((id, i) => [id, i]));
    return {
      spans, order, names: order.map((id) => (sm < 0 ? `sm${Math.floor(id / 65536)} ${slotName} ${id % 65536}` : `${slotName} ${id % 65536}`)),
      row: (i) => place.get(spans.sm[i] * 65536 + spans[slot][i]) ?? -1,
    };
  }
  at = collect();
  let bars = [];
  const choose = () => {
    bars = visibleBars(at.spans.sm.length, {first: at.spans.first_cycle, last: at.spans.last_cycle, row: at.row, key: (i) => at.spans.launch[i]},
      state.zoom[0], state.zoom[1], Math.min(900, kMostBars / at.names.length));
    return bars.map((bar) => [bar.from, bar.to, bar.row, bar.key]);
  };
  const kernelOf = (launch) => plainName(run.kernels.find((kernel) => kernel.launch === launch)?.name ?? '');
  const describe = (bar) => {
    const {spans} = at, i = bar.first;
    const where = at.names[bar.row];
    if (bar.count > 1) return [`${where}: ${number(bar.count)} ${what}s`, `cycles ${number(bar.from)} to ${number(bar.to - 1)}; zoom in to separate them`];
    return [
      `${where}: block ${number(spans.block[i])} of launch ${spans.launch[i]}, ${kernelOf(spans.launch[i])}`,
      `cycles ${number(bar.from)} to ${number(bar.to - 1)}: ${withUnit(bar.to - bar.from, 'cycles')}`,
      spans.instructions && `${withUnit(spans.instructions[i], 'instructions')} issued`,
    ].filter(Boolean);
  };
  const chart = createChart({
    title, unit, sentence, file, overTime: true,
    height: () => Math.min(560, 44 + Math.max(3, at.names.length) * (at.names.length > 40 ? 7 : 14)),
    part: () => ({series: [{data: choose()}]}),
    option: () => {
      return {
        ...frame(), ...cycleAxis(),
        grid: {left: 92, right: 14, top: 4, bottom: 22},
        yAxis: categoryAxis(at.names, {inverse: true, axisLabel: {hideOverlap: true, fontSize: 10}}),
        series: [{
          type: 'custom', clip: true, progressive: 0, dimensions: ['from', 'to', 'row', 'key'], encode: {x: [0, 1], y: 2},
          data: choose(),
          renderItem: (parameters, api) => {
            const [left, y] = api.coord([api.value(0), api.value(2)]);
            const right = api.coord([api.value(1), 0])[0];
            const tall = Math.max(2, api.size([0, 1])[1] * 0.82);
            const key = api.value(3);
            return {
              type: 'rect', shape: {x: left, y: y - tall / 2, width: Math.max(1, right - left), height: tall},
              style: {fill: key < 0 ? kJoined : turnColour(key - 1), stroke: frame().tooltip.backgroundColor, lineWidth: right - left > 6 ? 0.4 : 0},
            };
          },
        }],
        tooltip: {...frame().tooltip, formatter: ({dataIndex}) => { const [first, ...rest] = describe(bars[dataIndex]); return tipHtml(escapeHtml(first), rest.map(escapeHtml)); }},
      };
    },
    table: () => ({
      columns: at.spans && run.data.spans[part].columns.map((name) => ({
        label: name.replaceAll('_', ' '), unit: {first_cycle: 'cycle', last_cycle: 'cycle', instructions: 'instructions'}[name], sentence: kSentences[name], numeric: true,
        value: (i) => at.spans[name][i],
      })),
      rows: Array.from(at.spans.sm.keys()).filter((i) => at.row(i) >= 0 && at.spans.last_cycle[i] >= state.zoom[0] && at.spans.first_cycle[i] <= state.zoom[1]),
    }),
    points: () => bars.length,
    point: (i) => ({text: describe(bars[i]).join('; '), seriesIndex: 0, dataIndex: i}),
    tools: [],
  });
  const tools = h('span', {class: 'choices'});
  chart.element.querySelector('h3').after(tools);
  function refresh() {
    at = collect();
    chart.update();
  }
  function fillTools() {
    tools.replaceChildren(...[
      runChoice('Run', having, run.index, (index) => { run = having.find((one) => one.index === index); if (!smsOf().includes(sm)) sm = everySm ? -1 : smsOf()[0]; fillTools(); refresh(); }),
      choice('SM', [...(everySm ? [['-1', 'all']] : []), ...smsOf().map((one) => [String(one), String(one)])], String(sm), (one) => { sm = Number(one); refresh(); }),
    ].filter(Boolean));
  }
  if (!everySm) {
    sm = smsOf()[0];
    at = collect();
  }
  fillTools();
  return chart.element;
}

const kSentences = {
  sm: 'Number of the SM.', slot: 'Block slot of the SM.', warp: 'Warp slot of the SM.', block_slot: 'Slot of its block.',
  launch: 'Number of the launch.', block: 'Number of the block in its grid.', first_cycle: 'Core clock cycle of its arrival.',
  last_cycle: 'Core clock cycle of its departure.', instructions: 'Warp instructions it issued.',
};

export function timelines(runs) {
  const how = 'heddle run --inspect -o FOLDER PROGRAM';
  // A few runs are stacked; of many, one is selected.
  const each = (part, what) => {
    const having = runs.filter((run) => run.data.spans?.[part]?.table?.rows > 0);
    const groups = having.length === 0 ? [] : having.length <= 3 ? having.map((run) => [run]) : [having];
    return groups.map((group) => timeline(group, {...what, part, file: part, unit: 'core cycles', title: groups.length > 1 ? `${what.title}, ${group[0].label}` : what.title}));
  };
  const missing = runs.filter((run) => !run.data.spans);
  const truncated = runs.filter((run) => run.data.spans?.truncated);
  return section('timelines', 'Blocks and warps', 'Residency on the SMs. Colours distinguish launches; bars narrower than a pixel are merged, in grey if they belong to different launches.',
    missing.length > 0 && absent(`${missing.length === runs.length ? 'No run' : missing.map((run) => run.label).join(', ')}${missing.length === runs.length ? ' recorded' : ' did not record'} blocks and warps.`, how),
    truncated.length > 0 && h('p', {class: 'warning', text: `${truncated.map((run) => run.label).join(', ')}: not all blocks and warps were recorded; later ones are missing.`}),
    each('blocks', {title: 'Blocks', what: 'block', slot: 'slot', slotName: 'slot', everySm: true, sentence: 'Residency of blocks on the slots of the SMs.'}),
    each('warps', {title: 'Warps', what: 'warp', slot: 'warp', slotName: 'warp', everySm: false, sentence: 'Times at which each warp slot of an SM held threads.'}));
}
