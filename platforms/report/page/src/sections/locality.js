// SPDX-License-Identifier: Apache-2.0
// Locality in the L1 data caches: what answered the loads of a kernel, why some missed, and what limits of warps would give.
import {categoryAxis, createChart, frame, ink, tipHtml, valueAxis} from '../chart.js';
import {choice, h} from '../dom.js';
import {escapeHtml, percent, plainName} from '../format.js';
import {accesses, bestLimit, cacheRows, hitRate, loadRows, loopName} from '../locality.js';
import {createTable, runChoice} from '../table.js';
import {absent, section} from './section.js';

const kColours = ['#3b76c4', '#d9822b', '#4a9b52', '#9357b3', '#b8444b', '#6b7280'];

export function locality(runs) {
  const having = runs.filter((run) => run.data.locality?.kernels?.length > 0);
  if (having.length === 0) return section('locality', 'Locality', undefined, absent('No run recorded the locality of its loads.', 'heddle run --inspect -o FOLDER PROGRAM'));
  let run = having[0], kernel = busiest(run);
  const place = h('div'), tools = h('div', {class: 'tools'});

  function fill() {
    const {locality: all} = run.data;
    const advice = bestLimit(kernel);
    place.replaceChildren(
      h('p', {class: 'note', text: advice === undefined ? 'No limit of warps would clearly help this kernel.'
        : `A limit of ${advice.warps} ${advice.warps === 1 ? 'warp' : 'warps'} is worth a trial: expected hit rate ${percent(hitRate(advice))} instead of ${percent(hitRate(kernel.limits.at(-1)))}.`}),
      caches(all, kernel), ...(kernel.limits.length > 1 ? [curve(all, kernel).element] : []), loads(all, kernel));
  }
  function choose() {
    tools.replaceChildren(
      runChoice('Run', having, run.index, (index) => { run = runs[index]; kernel = busiest(run); choose(); fill(); }) ?? '',
      choice('Kernel', run.data.locality.kernels.map((one, i) => [String(i), plainName(one.name)]), String(run.data.locality.kernels.indexOf(kernel)),
        (i) => { kernel = run.data.locality.kernels[Number(i)]; fill(); }));
  }
  choose();
  fill();
  return section('locality', 'Locality', 'Loads by what answered them in the L1 data caches. A limit of warps lets only the oldest warps of an SM issue; its effect is modelled from the recorded accesses.', tools, place);
}

/** The kernel with the most misses. */
function busiest(run) {
  const misses = (kernel) => kernel.loads.reduce((sum, {counts}) => sum + counts.misses, 0);
  return run.data.locality.kernels.reduce((most, one) => (misses(one) > misses(most) ? one : most));
}

const count = (label, sentence, value) => ({label, unit: 'lines', sentence, numeric: true, value});
const share = (label, sentence, part) => ({
  label, unit: '%', sentence, numeric: true,
  value: (row) => { const all = accesses(row.counts); return all > 0 ? (100 * part(row.counts)) / all : undefined; },
  show: (row) => percent(part(row.counts) / accesses(row.counts)).replace(' %', ''),
});
const kShares = [
  share('Intra-thread', 'Hits on a line of this warp, wanted by a thread for which it was brought.', ({intra_thread}) => intra_thread),
  share('Inter-thread', 'Hits on a line of this warp, brought for other threads of it.', ({inter_thread}) => inter_thread),
  share('Inter-warp', 'Hits on a line that another warp brought.', ({inter_warp}) => inter_warp),
  share('Merges', 'The line was on its way; none in replays, which take no time.', ({merges}) => merges),
  share('Misses', 'The line was requested from the level below.', ({misses}) => misses),
];

function caches(all, kernel) {
  const columns = [
    {label: 'Cache', sentence: 'The cache of the run, and those in which its accesses were replayed.', value: ({name}) => name},
    count('Lines', 'Lines that loads asked for.', ({counts}) => accesses(counts)),
    ...kShares,
    {label: 'MPKI', unit: 'misses/1000 instr.', sentence: 'Misses per thousand thread instructions.', numeric: true, value: ({counts}) => (1000 * counts.misses) / Math.max(1, kernel.thread_instructions)},
  ];
  return createTable(columns, cacheRows(all, kernel), {file: 'locality_caches', caption: 'Loads by cache'}).element;
}

function curve(all, kernel) {
  const limits = kernel.limits.map(({warps}) => String(warps));
  const curves = [{name: 'all loads', limits: kernel.limits}, ...kernel.loops.filter((loop) => loop.limits.some((one) => accesses(one) > 0)).map((loop) => ({name: loopName(loop, all.files), limits: loop.limits}))];
  const sentence = 'Hits, as a share of the lines that loads ask for, if only so many of the oldest warps of an SM may issue; the last value limits nothing.';
  const text = ({name, limits: of}, i) => `${name}, ${limits[i]} ${limits[i] === '1' ? 'warp' : 'warps'}: expected hit rate ${percent(hitRate(of[i]))}`;
  return createChart({
    title: 'Expected hit rate by limit of warps', unit: '%', sentence, height: 210, file: 'locality_limits',
    option: () => ({
      ...frame(),
      grid: {left: 50, right: 14, top: 12, bottom: 38},
      xAxis: categoryAxis(limits, {name: 'warps that may issue', nameLocation: 'middle', nameGap: 24, nameTextStyle: {color: ink().quiet}}),
      yAxis: valueAxis({min: 0, max: 100, name: '%', nameLocation: 'middle', nameGap: 36}),
      series: curves.map(({name, limits: of}, i) => ({name, type: 'line', symbolSize: 6, lineStyle: {width: i === 0 ? 2.5 : 1.5}, itemStyle: {color: kColours[i % kColours.length]}, data: of.map((one) => 100 * hitRate(one))})),
      tooltip: {...frame().tooltip, formatter: ({seriesIndex, dataIndex}) => tipHtml(escapeHtml(curves[seriesIndex].name), [escapeHtml(text(curves[seriesIndex], dataIndex)), sentence])},
    }),
    table: () => ({
      columns: [
        {label: 'Warps', unit: 'warps', numeric: true, sentence: 'Warps of an SM that may issue.', value: (i) => Number(limits[i])},
        ...curves.map(({name, limits: of}) => ({label: name, unit: '%', sentence, numeric: true, value: (i) => 100 * hitRate(of[i])})),
        {label: 'Time', unit: 'of no limit', sentence: 'Cycles of the model, as a part of those without a limit.', numeric: true, value: (i) => kernel.limits[i].cycles / kernel.limits.at(-1).cycles},
      ],
      rows: limits.map((_, i) => i),
    }),
    points: () => curves.length * limits.length,
    point: (i) => ({text: `${text(curves[Math.floor(i / limits.length)], i % limits.length)}. ${sentence}`, seriesIndex: Math.floor(i / limits.length), dataIndex: i % limits.length}),
    tools: h('ul', {class: 'legend'}, curves.map(({name}, i) => h('li', {}, h('i', {class: 'swatch', style: `background:${kColours[i % kColours.length]}`}), name))),
  });
}

function loads(all, kernel) {
  const cause = (label, name, sentence) => ({
    label, unit: '% of misses', sentence, numeric: true,
    value: ({counts, causes}) => (counts.misses > 0 ? (100 * causes[name]) / counts.misses : undefined),
    show: ({counts, causes}) => percent(counts.misses > 0 ? causes[name] / counts.misses : undefined).replace(' %', ''),
  });
  const columns = [
    {label: 'Load', sentence: 'The source line, or the instruction where that is unknown.', value: ({place}) => place, tip: ({place, text, pc}) => `${place}\npc ${pc}: ${text}`},
    {label: 'Loop', sentence: 'The innermost loop around it.', value: ({loop}) => loop},
    count('Lines', 'Lines that it asked for.', ({counts}) => accesses(counts)),
    ...kShares,
    count('Misses', 'Lines requested from the level below.', ({counts}) => counts.misses),
    cause('Lost', 'lost', 'Lost intra-warp locality: misses that hit in a cache that the warp has to itself.'),
    cause('Other warps', 'other_warps', 'Misses on a line that only other warps had touched.'),
    cause('Too far', 'too_far', 'Misses on a line that the warp touched too long ago for any cache of this size.'),
    cause('Stored', 'stored', 'Misses on a line that a store removed.'),
    cause('First', 'first', 'Misses on a line that nobody on the SM had touched.'),
  ];
  return createTable(columns, loadRows(all, kernel), {file: 'locality_loads', caption: 'Loads', limit: 40, className: ({hot}) => (hot ? 'hot' : '')}).element;
}
