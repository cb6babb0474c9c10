// SPDX-License-Identifier: Apache-2.0
// Curves over time, all zoomed together.
import {runColour} from '../colours.js';
import {createChart, cycleAxis, frame, ink, tipHtml, valueAxis, zoomBy} from '../chart.js';
import {choice, h} from '../dom.js';
import {escapeHtml, number, withUnit} from '../format.js';
import {kLayers} from '../layers.js';
import {columnCurve, curve, kCurves, visiblePoints} from '../series.js';
import {listen, set, state, zoomTo} from '../state.js';
import {layerChart} from './layers.js';
import {absent, section} from './section.js';

const kHow = 'heddle run --inspect -o FOLDER PROGRAM';

/** The bar that shows and sets the visible cycles. */
export function zoomBar() {
  const edge = (label, place) => h('input', {type: 'number', 'aria-label': label, step: 'any', class: 'cycle', onchange: (event) => {
    const wanted = [...state.zoom];
    wanted[place] = Number(event.target.value);
    if (wanted[0] < wanted[1]) zoomTo(...wanted);
    show();
  }});
  const from = edge('First cycle shown', 0), to = edge('Last cycle shown', 1);
  const button = (text, label, action) => h('button', {type: 'button', text, 'aria-label': label, 'data-tip': label, onclick: action});
  const move = (share) => {
    const [a, b] = state.zoom, [first, last] = state.zoomFull;
    const by = Math.max(first - a, Math.min(last - b, Math.round((b - a) * share)));
    zoomTo(a + by, b + by);
  };
  function show() {
    from.value = Math.round(state.zoom[0]);
    to.value = Math.round(state.zoom[1]);
  }
  listen('zoom', show);
  show();
  return h('div', {class: 'zoom', role: 'group', 'aria-label': 'Cycles shown by all charts over time'},
    h('span', {text: 'Core cycles'}), from, h('span', {text: 'to'}), to,
    button('◀', 'Earlier', () => move(-0.5)), button('▶', 'Later', () => move(0.5)),
    button('+', 'Zoom in', () => zoomBy('+')), button('−', 'Zoom out', () => zoomBy('-')), button('All', 'Show all cycles', () => set('zoom', state.zoomFull)),
    h('span', {class: 'quiet', text: 'drag over a chart to zoom all charts; double-click to show all cycles; ctrl + wheel zooms, shift + wheel pans'}));
}

const said = ({sentence}) => `${sentence} Each value covers the interval that ends at its cycle.`;

function panel(runs, definition) {
  let lines = [];
  const load = (wanted) => {
    lines = runs.map((run) => ({run, points: curve(run, wanted)})).filter(({points}) => points);
    return wanted;
  };
  let at = load(definition);
  const missing = runs.filter((run) => !lines.some((line) => line.run === run));
  if (lines.length === 0) return {at, missing};
  // More than two points per pixel are not visible.
  const choose = () => {
    for (const line of lines) line.shown = visiblePoints(line.points, ...state.zoom, 400);
  };
  choose();
  const step = () => lines.map(({shown}) => Math.max(1, Math.ceil(shown.length / 2 / 100)));
  const count = () => lines.map(({shown}, i) => Math.ceil(shown.length / 2 / step()[i]));
  const chart = createChart({
    title: at.title, unit: at.unit, sentence: said(at), height: 150, overTime: true, file: at.id ?? 'series',
    option: () => {
      const axis = cycleAxis();
      return {
        ...frame(), ...axis,
        grid: {left: 46, right: 14, top: 10, bottom: 22},
        yAxis: valueAxis({splitNumber: 3, min: 0, max: at.most, interval: at.most && at.most / 4}),
        series: lines.map(({run, shown}) => ({
          name: run.label, type: 'line', data: shown, dimensions: ['cycle', 'value'], showSymbol: shown.length <= 4, symbolSize: 4,
          lineStyle: {width: 1.2, opacity: 0.9}, itemStyle: {color: runColour(run.index)}, emphasis: {disabled: true},
        })),
        tooltip: {
          ...frame().tooltip, trigger: 'axis', axisPointer: {lineStyle: {color: ink().quiet}},
          formatter: (all) => tipHtml(`cycle ${number(Math.round(all[0].value[0]))}`, [
            ...all.map(({marker, seriesName, value}) => `${marker}${escapeHtml(seriesName)}: ${withUnit(value[1], at.unit)}`), escapeHtml(at.sentence)]),
        },
      };
    },
    part: () => {
      choose();
      return {series: lines.map(({run, shown}) => ({name: run.label, data: shown, showSymbol: shown.length <= 4}))};
    },
    table: () => ({
      columns: [
        {label: 'Run', value: ({run}) => run.label},
        {label: 'Cycle', unit: 'cycles', sentence: 'Last cycle of the interval.', numeric: true, value: ({x}) => x},
        {label: at.title, unit: at.unit, sentence: at.sentence, numeric: true, value: ({y}) => y},
      ],
      rows: lines.flatMap(({run, points}) => {
        const rows = [];
        for (let i = 0; i < points.length; i += 2) {
          if (points[i] >= state.zoom[0] && points[i] <= state.zoom[1]) rows.push({run, x: points[i], y: points[i + 1]});
        }
        return rows;
      }),
    }),
    points: () => count().reduce((sum, one) => sum + one, 0),
    point: (i) => {
      let line = 0;
      while (i >= count()[line]) i -= count()[line++];
      const index = i * step()[line];
      const {run, shown: points} = lines[line];
      return {text: `${run.label}, cycle ${points[2 * index]}: ${withUnit(points[2 * index + 1], at.unit)}. ${at.sentence}`, seriesIndex: line, dataIndex: index};
    },
  });
  return {
    at, missing, chart,
    change(wanted) {
      at = load(wanted);
      choose();
      chart.name({...at, sentence: said(at)});
      chart.update();
    },
  };
}

export function series(runs) {
  const recorded = runs.filter((run) => run.data.time_series?.table?.rows > 0);
  if (recorded.length === 0) {
    return section('series', 'Over time', undefined, absent('No run recorded a time series.', kHow));
  }
  const panels = kCurves.map((definition) => panel(runs, definition));
  const shown = panels.filter(({chart}) => chart);
  const stacked = kLayers.map((definition) => layerChart(runs, definition)).filter(Boolean);
  const notes = panels.filter(({at, missing}) => missing.length > 0 && !at.optional).map(({at, missing}) => (missing.length === runs.length ? at.title : `${at.title} (${missing.map((run) => run.label).join(', ')})`));
  const columns = [...new Set(recorded.flatMap((run) => run.data.time_series.columns.slice(1)))];
  const declared = (name) => recorded.map((run) => run.columnDeclaration(name)).find(({sentence}) => sentence);
  const columnPanel = (name) => columnCurve(name, declared(name));
  const other = panel(runs, columnPanel(columns[0]));
  other.chart.element.classList.add('wide');
  other.chart.element.querySelector('h3').after(choice('Counter', columns.map((name) => [name, name]), columns[0], (name) => {
    other.change(columnPanel(name));
  }));
  const every = [...new Set(recorded.map((run) => run.data.time_series.every))];
  return section('series', 'Over time', `Sampled every ${every.map(number).join(' or ')} core cycles. All charts over time, including blocks and warps, show the same cycles.`,
    h('ul', {class: 'legend'}, recorded.map((run) => h('li', {}, h('i', {class: 'swatch', style: `background:${runColour(run.index)}`}), run.label))),
    zoomBar(),
    h('div', {class: 'pairs'}, [...shown.map(({chart}) => chart), ...stacked].map(({element}) => element), other.chart.element),
    notes.length > 0 && absent(`Not recorded, or absent from the machine: ${notes.join('; ')}.`, kHow));
}
