// SPDX-License-Identifier: Apache-2.0
// Curves over time, from the rows of a run's time series, which hold counter increments since the previous row.

import {perCycle, short} from './format.js';
import {residentThreads} from './run.js';

const kResident = /^sm(\d+)\.issue\.resident_thread_cycles$/;

/** Threads that the SMs of a table can hold at once; NaN when not in the configuration. */
function residency(run, columns) {
  const most = residentThreads(run.data.configuration);
  return columns.reduce((sum, name) => (kResident.test(name) ? sum + (most[Number(kResident.exec(name)[1])] ?? NaN) : sum), 0);
}

/** Available curves. optional: shown for machines that have the counters, not missed on others. parts: counters summed over instances; value(sums, cycles, whole) per row;
 *  whole(run, columns): the total that shares refer to. */
export const kCurves = [
  {
    id: 'ipc', title: 'Instructions issued', unit: 'instructions/cycle', parts: {n: /^sm\d+\.issue\.warp_instructions$/},
    sentence: 'Warp instructions issued per cycle, over all SMs.', value: ({n}, cycles) => n / cycles,
  },
  {
    id: 'occupancy', title: 'Occupancy', unit: '% of threads', most: 100, parts: {n: kResident}, whole: residency,
    sentence: 'Thread slots occupied by blocks, as a share of the SMs\' capacity; mean over the interval.',
    value: ({n}, cycles, threads) => (100 * n) / (cycles * threads),
  },
  {
    id: 'l1', title: 'L1 misses', unit: 'lines/1000 cycles', parts: {n: /^sm\d+\.l1d\.read_misses$/},
    sentence: 'Lines requested by the first-level data caches from the level below.', value: ({n}, cycles) => (1000 * n) / cycles,
  },
  {
    id: 'l2', title: 'L2 misses', unit: 'lines/1000 cycles', parts: {n: /^l2_\d+\.cache\.read_misses$/},
    sentence: 'Lines requested by the second-level cache from memory.', value: ({n}, cycles) => (1000 * n) / cycles,
  },
  {
    id: 'bandwidth', title: 'Memory bandwidth', unit: 'bytes/cycle', parts: {n: /^mc\d+\.controller\.(read|written)_bytes$/},
    sentence: 'Bytes read from and written to memory per core cycle, over all controllers.', value: ({n}, cycles) => n / cycles,
  },
  {
    id: 'rows', title: 'Row hits', unit: '% of requests', most: 100,
    parts: {
      hits: /^mc\d+\.controller\.channel\.row_hits$/,
      others: /^mc\d+\.controller\.channel\.row_(closed|conflicts)$/,
    },
    sentence: 'Share of DRAM requests in the interval that found their row open; no point without requests.',
    value: ({hits, others}) => (hits + others > 0 ? (100 * hits) / (hits + others) : NaN),
  },
  {
    id: 'splits', title: 'Splits per warp', unit: 'splits', optional: true,
    parts: {splits: /^sm\d+\.hot_contexts\.splits_seen$/, changes: /^sm\d+\.hot_contexts\.changes$/},
    sentence: 'Paths into which a warp was split, in the mean of all changes of a warp.',
    value: ({splits, changes}) => (changes > 0 ? splits / changes : NaN),
  },
  {
    id: 'shared_rows', title: 'Shared rows', unit: '% of instructions', most: 100, optional: true,
    parts: {shared: /^sm\d+\.coissue\.same_row$/, all: /^sm\d+\.issue\.warp_instructions$/},
    sentence: 'Share of instructions that filled lanes left free by another instruction of the same cycle.',
    value: ({shared, all}) => (all > 0 ? (100 * shared) / all : NaN),
  },
];

/** Cycles covered by each row, from its end and that of the previous row. */
export function rowLengths(cycle) {
  const lengths = new Float64Array(cycle.length);
  for (let i = 0; i < cycle.length; ++i) lengths[i] = Math.max(1, i === 0 ? cycle[0] + 1 : cycle[i] - cycle[i - 1]);
  return lengths;
}

/** Sum of the columns whose names match; undefined when there is none. */
export function sumColumns(table, pattern) {
  const names = table.columns.filter((name) => pattern.test(name));
  if (names.length === 0) return undefined;
  const sum = new Float64Array(table.rows);
  for (const name of names) {
    const column = table.column(name);
    for (let i = 0; i < sum.length; ++i) sum[i] += column[i];
  }
  return sum;
}

/** Points of a curve as [x0, y0, x1, y1, ...] in one typed array, omitting points without a value; undefined when the
 * run did not record the counters. */
export function curve(run, {parts, value, whole}) {
  const table = run.data.time_series?.table;
  const cycle = table?.column('cycle');
  if (!cycle) return undefined;
  const sums = Object.fromEntries(Object.entries(parts).map(([name, pattern]) => [name, sumColumns(table, pattern)]));
  if (Object.values(sums).some((sum) => sum === undefined)) return undefined;
  const all = whole?.(run, table.columns);
  if (Number.isNaN(all)) return undefined;
  const lengths = rowLengths(cycle);
  const points = new Float64Array(2 * table.rows);
  let used = 0;
  const row = {};
  for (let i = 0; i < table.rows; ++i) {
    for (const name in sums) row[name] = sums[name][i];
    const y = value(row, lengths[i], all);
    if (Number.isNaN(y)) continue;
    points[used++] = cycle[i];
    points[used++] = y;
  }
  return points.subarray(0, used);
}

/** The points of a curve within [from, to], plus one on either side; with more than four per bucket,
 * only the first, lowest, highest and last of each, so that no peak is lost. */
export function visiblePoints(points, from, to, buckets) {
  const count = points.length / 2;
  const place = (x) => {
    let low = 0, high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[2 * middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const begin = Math.max(0, place(from) - 1), end = Math.min(count, place(to) + 1);
  if (end - begin <= 4 * buckets) return points.subarray(2 * begin, 2 * end);
  const chosen = new Float64Array(8 * buckets);
  let used = 0;
  for (let bucket = 0; bucket < buckets; ++bucket) {
    const first = begin + Math.floor(((end - begin) * bucket) / buckets), last = begin + Math.floor(((end - begin) * (bucket + 1)) / buckets) - 1;
    let lowest = first, highest = first;
    for (let i = first; i <= last; ++i) {
      if (points[2 * i + 1] < points[2 * lowest + 1]) lowest = i;
      if (points[2 * i + 1] > points[2 * highest + 1]) highest = i;
    }
    for (const i of new Set([first, Math.min(lowest, highest), Math.max(lowest, highest), last])) {
      chosen[used++] = points[2 * i];
      chosen[used++] = points[2 * i + 1];
    }
  }
  return chosen.subarray(0, used);
}

/** A single recorded column: its increment per cycle. */
export function columnCurve(name, {unit, sentence} = {}) {
  return {
    title: name.split('.').slice(-1)[0], unit: perCycle(unit), parts: {n: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`)},
    sentence: `Increment of ${name} per cycle of the interval${sentence ? `: ${sentence}` : ''}.`, value: ({n}, cycles) => n / cycles,
  };
}

/** Mean of a counter per cycle in `bins` equal parts of [from, to): Float64Array, NaN without rows. A row counts
 * where it ends. */
export function binned(cycle, values, from, to, bins) {
  const gained = new Float64Array(bins);
  const covered = new Float64Array(bins);
  const lengths = rowLengths(cycle);
  for (let i = 0; i < cycle.length; ++i) {
    if (cycle[i] < from || cycle[i] >= to) continue;
    const bin = Math.min(bins - 1, Math.floor(((cycle[i] - from) / (to - from)) * bins));
    gained[bin] += values[i];
    covered[bin] += lengths[i];
  }
  return gained.map((sum, i) => (covered[i] > 0 ? sum / covered[i] : NaN));
}

/** Labels of bins that begin at these numbers, the last of which ends at `end`: a few round numbers, at the bins that hold them. */
export function roundLabels(starts, end) {
  const ideal = (end - starts[0]) / 6;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ideal)));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= ideal) ?? 10);
  const held = (i) => Math.ceil(starts[i] / step) * step;
  return {interval: (i) => held(i) < (starts[i + 1] ?? end), formatter: (_, i) => short(held(i))};
}
