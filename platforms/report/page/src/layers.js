// SPDX-License-Identifier: Apache-2.0
// Quantities that add up, over time: what each layer of a stacked area holds, from the rows of a run's time series.

import {rampColour} from './colours.js';
import {rowLengths, sumColumns} from './series.js';

const kSizes = [8, 7, 6, 5, 4, 3, 2, 1];

/** Available charts, for machines that have the counters. layers, from the bottom: counters of an SM, whose sum less those of `less`,
 *  `times` as much where that is given, is shown per cycle. */
export const kLayers = [
  {
    id: 'gang_sizes', title: 'Warps by size of gang', unit: 'warps',
    sentence: 'Warps in gangs of each size, and warps that their slice schedules alone; mean over the interval.',
    layers: kSizes.map((size) => ({
      name: size === 1 ? 'alone' : `in gangs of ${size}`, colour: rampColour(size / kSizes[0]), add: [`ganging.warps_in_${size}`],
    })),
  },
  {
    id: 'gang_lanes', title: 'Busy lanes by source', unit: 'threads/cycle',
    sentence: 'Threads of instructions that issued with a gang, and of those that a slice issued for a single warp.',
    layers: [
      {name: 'gangs', colour: '#2166ac', add: ['gang_issue.gang_threads']},
      {name: 'single warps', colour: '#f2a93b', add: ['gang_issue.alone_threads']},
    ],
  },
  {
    id: 'gang_fetches', title: 'Fetches by front end', unit: 'fetches/cycle',
    sentence: 'Fetches of the gang front end, one for all warps of a gang; and of the slices, from their L0 store or from the instruction cache.',
    layers: [
      {name: 'gangs', colour: '#2166ac', add: ['gang_fetch.gangs']},
      {name: 'slices, from the cache', colour: '#1b9e77', add: ['gang_fetch.slices'], less: ['gang_fetch.from_l0']},
      {name: 'slices, from L0', colour: '#8fd1a6', add: ['gang_fetch.from_l0']},
    ],
  },
  {
    id: 'large_warps', title: 'Loads and stores by size of warp', unit: 'sub-warps/cycle',
    sentence: 'Sub-warps that issued a large-warp-intensive instruction, by the number of partners that issued it together.',
    layers: kSizes.map((size) => ({
      name: size === 1 ? 'alone' : `${size} together`, colour: rampColour(size / kSizes[0]), add: [`partner_issue.warps_of_${size}`], times: size,
    })),
  },
  {
    id: 'locked_warps', title: 'Sub-warps locked', unit: 'warps',
    sentence: 'Sub-warps that wait for their partners before a large-warp-intensive instruction; mean over the interval.',
    layers: [{name: 'locked', colour: '#94704d', add: ['sub_warp_synchroniser.locked_warp_cycles']}],
  },
  {
    id: 'footprints', title: 'Predicted cache footprints', unit: 'lines',
    sentence: 'Lines that warps are predicted to access in a trip of their loop: of those that may load, and of others; mean over the interval.',
    layers: [
      {name: 'may load', colour: '#2166ac', add: ['load_scheduler.admitted_lines']},
      {name: 'may not', colour: '#c79bd6', add: ['load_scheduler.footprint_lines'], less: ['load_scheduler.admitted_lines']},
    ],
  },
  {
    id: 'admitted_warps', title: 'Warps by leave to load', unit: 'warps',
    sentence: 'Warps in a loop with a predicted footprint that may load, and warps that may not; mean over the interval.',
    layers: [
      {name: 'may load', colour: '#2166ac', add: ['load_scheduler.admitted']},
      {name: 'may not', colour: '#c79bd6', add: ['load_scheduler.blocked']},
    ],
  },
  {
    id: 'cutoff_warps', title: 'Warps within the cutoff', unit: 'warps',
    sentence: 'Warps whose lost-locality scores let them load, and warps beyond the cutoff; mean over the interval.',
    layers: [
      {name: 'may load', colour: '#2166ac', add: ['cache_conscious.admitted_warp_cycles']},
      {
        name: 'beyond the cutoff', colour: '#f2a93b', add: ['cache_conscious.active_warp_cycles'],
        less: ['cache_conscious.admitted_warp_cycles'],
      },
    ],
  },
  {
    id: 'lost_locality', title: 'Loads by locality', unit: 'accesses/cycle',
    sentence: 'Loads of the L1 data cache: hits of lines that the same warp or another one brought in, misses of lines that the warp had lost, other misses.',
    layers: [
      {name: 'own line', colour: '#2166ac', add: ['victim_tags.own_hits']},
      {name: 'line of another warp', colour: '#8fb8de', add: ['victim_tags.other_hits']},
      {name: 'lost before', colour: '#c0392b', add: ['victim_tags.hits']},
      {name: 'other misses', colour: '#d9d9d9', add: ['victim_tags.probes'], less: ['victim_tags.hits']},
    ],
  },
];

/** Numbers of the SMs with a recorded counter of the chart. */
export function smsWith(run, {layers}) {
  const names = new Set(layers.flatMap(({add}) => add));
  const numbers = (run.data.time_series?.table?.columns ?? []).flatMap((column) => {
    const match = /^sm(\d+)\.(.*)$/.exec(column);
    return match && names.has(match[2]) ? [Number(match[1])] : [];
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** {cycle, layers: [{...layer, values}]}: increments per row, of one SM or, with sm undefined, of all together. Layers whose counters
 *  were not recorded, or stayed 0, are left out. */
export function layersOf(run, {layers}, sm) {
  const table = run.data.time_series?.table;
  if (!table) return {cycle: [], layers: []};
  const sum = (counters = []) => counters.map((name) => sumColumns(table, new RegExp(`^sm${sm ?? '\\d+'}\\.${name.replaceAll('.', '\\.')}$`)));
  const found = layers.map((layer) => {
    const added = sum(layer.add), taken = sum(layer.less);
    if ([...added, ...taken].includes(undefined)) return {};
    const values = new Float64Array(table.rows).map((_, i) => {
      return (layer.times ?? 1) * (added.reduce((all, one) => all + one[i], 0) - taken.reduce((all, one) => all + one[i], 0));
    });
    return {...layer, values};
  });
  return {cycle: table.column('cycle'), layers: found.filter(({values}) => values?.some((value) => value !== 0))};
}

/** Rows within [from, to] and one on either side: {cycle: their ends, means: per layer, per cycle}. More than `most` rows are joined, a
 *  few at a time. */
export function visibleRows({cycle, layers}, from, to, most) {
  let first = cycle.findIndex((end) => end >= from);
  if (first < 0) first = cycle.length;
  let end = cycle.findIndex((one) => one > to);
  if (end < 0) end = cycle.length;
  first = Math.max(0, first - 1);
  end = Math.min(cycle.length, end + 1);
  const step = Math.max(1, Math.ceil((end - first) / most));
  const lengths = rowLengths(cycle);
  const ends = [], means = layers.map(() => []);
  for (let i = first; i < end; i += step) {
    const last = Math.min(end, i + step);
    let covered = 0;
    for (let row = i; row < last; ++row) covered += lengths[row];
    ends.push(cycle[last - 1]);
    layers.forEach(({values}, layer) => {
      let sum = 0;
      for (let row = i; row < last; ++row) sum += values[row];
      means[layer].push(sum / covered);
    });
  }
  return {cycle: ends, means};
}
