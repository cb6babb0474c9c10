// SPDX-License-Identifier: Apache-2.0
// A stacked area over time, of one run.
import {createChart, cycleAxis, frame, ink, tipHtml, valueAxis} from '../chart.js';
import {choice, h} from '../dom.js';
import {escapeHtml, number, withUnit} from '../format.js';
import {layersOf, smsWith, visibleRows} from '../layers.js';
import {state} from '../state.js';
import {runChoice} from '../table.js';

const kMostRows = 400;

/** The chart of a definition of layers.js; undefined when no run has its counters. */
export function layerChart(runs, definition) {
  const having = runs.filter((run) => layersOf(run, definition).layers.length > 0);
  if (having.length === 0) return undefined;
  const {title, unit, id} = definition;
  const sentence = `${definition.sentence} Each value covers the interval that ends at its cycle.`;
  let run = having[0], sm, at, shown;
  const legend = h('ul', {class: 'legend'});
  const choose = () => { shown = visibleRows(at, ...state.zoom, kMostRows); };
  const load = () => {
    at = layersOf(run, definition, sm);
    legend.replaceChildren(...at.layers.map(({name, colour}) => h('li', {}, h('i', {class: 'swatch', style: `background:${colour}`}), name)));
    choose();
  };
  const smChoice = () => {
    const sms = smsWith(run, definition);
    return sms.length < 2 ? undefined : choice('SM', [['', 'all'], ...sms.map((one) => [String(one), String(one)])], '', (value) => {
      sm = value === '' ? undefined : Number(value);
      load();
      chart.update();
    });
  };
  const sms = h('span', {}, smChoice());
  /** Each layer on top of those below it; what is below covers what is above. */
  const data = () => {
    const below = shown.cycle.map(() => 0);
    return at.layers.map((_, layer) => shown.cycle.map((cycle, i) => {
      below[i] += shown.means[layer][i];
      return [cycle, below[i]];
    }));
  };
  const series = () => data().map((points, layer) => ({name: at.layers[layer].name, data: points}));
  const lines = (i) => at.layers.map(({name}, layer) => `${name}: ${withUnit(shown.means[layer][i], unit)}`);
  load();
  const chart = createChart({
    title, unit, sentence, height: 150, overTime: true, file: id,
    tools: [runChoice('Run', having, run.index, (index) => {
      run = runs[index];
      sm = undefined;
      sms.replaceChildren(...[smChoice()].filter(Boolean));
      load();
      chart.update();
    }), sms],
    option: () => ({
      ...frame(), ...cycleAxis(),
      grid: {left: 46, right: 14, top: 10, bottom: 22},
      yAxis: valueAxis({splitNumber: 3, min: 0}),
      series: series().map((one, layer) => ({
        ...one, type: 'line', step: 'start', showSymbol: false, z: 2 + at.layers.length - layer, emphasis: {disabled: true},
        itemStyle: {color: at.layers[layer].colour}, lineStyle: {width: 0}, areaStyle: {color: at.layers[layer].colour, opacity: 1, origin: 'start'},
      })),
      tooltip: {
        ...frame().tooltip, trigger: 'axis', axisPointer: {lineStyle: {color: ink().quiet}, z: 100},
        formatter: (all) => {
          const i = all[0].dataIndex;
          const markers = Object.fromEntries(all.map(({marker, seriesName}) => [seriesName, marker]));
          return tipHtml(`${escapeHtml(run.label)}, cycle ${number(Math.round(shown.cycle[i]))}`,
            [...lines(i).map((text, layer) => `${markers[at.layers[layer].name] ?? ''}${escapeHtml(text)}`).reverse(), escapeHtml(definition.sentence)]);
        },
      },
    }),
    part: () => {
      choose();
      return {series: series()};
    },
    table: () => ({
      columns: [
        {label: 'Cycle', unit: 'cycles', sentence: 'Last cycle of the interval.', numeric: true, value: ({cycle}) => cycle},
        ...at.layers.map(({name}, layer) => ({label: name, unit, sentence: definition.sentence, numeric: true, value: ({means}) => means[layer]})),
      ],
      rows: shown.cycle.map((cycle, i) => ({cycle, means: shown.means.map((mean) => mean[i])})).filter(({cycle}) => cycle >= state.zoom[0] && cycle <= state.zoom[1]),
    }),
    points: () => shown.cycle.length,
    point: (i) => ({text: `${run.label}, cycle ${shown.cycle[i]}: ${lines(i).join('; ')}. ${definition.sentence}`, seriesIndex: 0, dataIndex: i}),
  });
  chart.element.append(legend);
  return chart;
}
