// SPDX-License-Identifier: Apache-2.0
// Speed: bars by run, and the speed-up over the chosen baseline.
import {runColour} from '../colours.js';
import {categoryAxis, createChart, frame, ink, tipHtml, valueAxis} from '../chart.js';
import {escapeHtml, number, withUnit} from '../format.js';
import {h} from '../dom.js';
import {listen, state} from '../state.js';
import {section} from './section.js';

/** Speed-up of a run over another, in simulated time, which accounts for clocks. */
export function speedUp(run, baseline) {
  return baseline.data.run?.simulated_seconds / run.data.run?.simulated_seconds;
}

function bars(runs, {title, unit, sentence, value, file}) {
  const height = 28 + 26 * runs.length;
  return createChart({
    title, unit, sentence, height, file,
    option: () => ({
      ...frame(),
      grid: {left: 4, right: 58, top: 4, bottom: 2, containLabel: true},
      xAxis: valueAxis({min: 0, splitNumber: 2, splitLine: {show: false}}),
      yAxis: categoryAxis(runs.map((run) => run.label), {inverse: true, axisLabel: {width: 104, overflow: 'truncate'}}),
      series: [{
        type: 'bar', barMaxWidth: 18,
        data: runs.map((run) => ({value: value(run), itemStyle: {color: runColour(run.index)}})),
        label: {show: true, position: 'right', color: ink().text, formatter: ({value: one}) => number(one)},
      }],
      tooltip: {...frame().tooltip, formatter: ({dataIndex}) => tipHtml(escapeHtml(runs[dataIndex].label), [`${title}: ${withUnit(value(runs[dataIndex]), unit)}`, sentence])},
    }),
    table: () => ({
      columns: [
        {label: 'Run', value: (run) => run.label},
        {label: title, unit, sentence, numeric: true, value},
      ],
      rows: runs,
    }),
    points: () => runs.length,
    point: (i) => ({text: `${runs[i].label}: ${title} ${withUnit(value(runs[i]), unit)}`, seriesIndex: 0, dataIndex: i}),
  });
}

export function speed(runs) {
  const machine = (name) => (run) => run.data.statistics?.machine?.[name];
  const sentence = (name, otherwise) => runs[0].data.declarations?.machine?.[name]?.sentence ?? otherwise;
  const charts = [
    bars(runs, {title: 'IPC', unit: 'instructions/cycle', file: 'ipc', value: machine('ipc'), sentence: sentence('ipc', 'Warp instructions issued per cycle, over all SMs.')}),
    bars(runs, {title: 'Thread IPC', unit: 'thread-instr./cycle', file: 'thread_ipc', value: machine('thread_ipc'), sentence: sentence('thread_ipc', 'Thread instructions issued per cycle, over all SMs.')}),
    bars(runs, {title: 'Cycles', unit: 'cycles', file: 'cycles', value: (run) => run.cycles, sentence: 'Core clock cycles of all timed launches.'}),
  ];
  if (runs.length > 1) {
    const up = bars(runs, {
      title: 'Speed-up', unit: 'times the baseline', file: 'speed_up', value: (run) => speedUp(run, runs[state.baseline]),
      sentence: 'Simulated time of the baseline (chosen at the top of the page) divided by that of this run; above 1 means faster.',
    });
    listen('baseline', () => up.update());
    charts.push(up);
  }
  const programs = new Set(runs.map((run) => run.data.identity?.ptx?.map(({sha256}) => sha256).join()));
  return section('speed', 'Speed', programs.size > 1 ? 'The runs execute different programs: compare with care.' : undefined,
    h('div', {class: 'tiles'}, charts.map((chart) => chart.element)));
}
