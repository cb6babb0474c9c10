// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {binned, columnCurve, curve, kCurves, roundLabels, rowLengths, visiblePoints} from '../../../../platforms/report/page/src/series.js';
import {visibleBars} from '../../../../platforms/report/page/src/spans.js';

/** A table as data.js makes it, of columns of plain numbers. */
function table(columns) {
  const names = Object.keys(columns);
  return {columns: names, rows: columns[names[0]].length, column: (name) => columns[name] && Float64Array.from(columns[name])};
}
const recorded = (columns, configuration) => ({data: {time_series: {table: table(columns)}, configuration}});
const named = (id) => kCurves.find((one) => one.id === id);

test('a value is the increment divided by the cycles of its interval', () => {
  assert.deepEqual([...rowLengths([99, 199, 249])], [100, 100, 50]);
  const run = recorded({cycle: [99, 199, 249], 'sm0.issue.warp_instructions': [50, 0, 25], 'sm1.issue.warp_instructions': [50, 100, 0], 'sm1.issue.warp_instructions.x': [9, 9, 9]});
  assert.deepEqual([...curve(run, named('ipc'))], [99, 1, 199, 1, 249, 0.5]);
  assert.deepEqual([...curve(run, columnCurve('sm0.issue.warp_instructions'))], [99, 0.5, 199, 0, 249, 0.5]);
});

test('occupancy is a share of the threads that the recorded SMs can hold', () => {
  const sm_classes = [100, 300].map((threads) => ({count: 1, sm: {residency: {threads}}}));
  const one = {cycle: [9, 19], 'sm1.issue.resident_thread_cycles': [1500, 3000]};
  assert.deepEqual([...curve(recorded(one, {gpu: {sm_classes}}), named('occupancy'))], [9, 50, 19, 100]);
  const both = {...one, 'sm0.issue.resident_thread_cycles': [100, 0]};
  assert.deepEqual([...curve(recorded(both, {gpu: {sm_classes}}), named('occupancy'))], [9, 40, 19, 75]);
  assert.equal(curve(recorded(both, undefined), named('occupancy')), undefined);
});

test('unrecorded counters have no curve, missing values no point', () => {
  const run = recorded({cycle: [99, 199], 'mc0.controller.channel.row_hits': [3, 0], 'mc0.controller.channel.row_closed': [1, 0], 'mc0.controller.channel.row_conflicts': [0, 0]});
  assert.equal(curve(run, named('ipc')), undefined);
  assert.deepEqual([...curve(run, named('rows'))], [99, 75]);
  assert.equal(curve({data: {}}, named('ipc')), undefined);
});

test('thinning keeps the peaks of many points and all of few', () => {
  const points = new Float64Array(200000).map((_, i) => (i % 2 === 0 ? i / 2 : (i - 1) / 2 === 54321 ? 99 : (i - 1) / 2 === 70000 ? -5 : 1));
  const shown = visiblePoints(points, 0, 100000, 100);
  assert.ok(shown.length <= 800 && shown.length > 200);
  const at = (x) => shown[shown.indexOf(x) + 1];
  assert.equal(at(54321), 99);
  assert.equal(at(70000), -5);
  assert.equal(shown[0], 0);
  assert.equal(shown[shown.length - 2], 99999);
  for (let i = 2; i < shown.length; i += 2) assert.ok(shown[i] > shown[i - 2]);
  assert.deepEqual([...visiblePoints(points, 500, 502, 100)], [499, 1, 500, 1, 501, 1, 502, 1]);
  assert.equal(visiblePoints(new Float64Array(0), 0, 1, 10).length, 0);
});

test('bins of a heat map hold means per cycle, empty bins hold none', () => {
  assert.deepEqual([...binned([99, 199, 299, 399], [100, 0, 50, 50], 0, 400, 2)], [0.5, 0.5]);
  assert.deepEqual([...binned([99], [100], 0, 400, 4)], [1, NaN, NaN, NaN]);
});

test('bars of a timeline are merged only when narrower than a pixel', () => {
  const first = [0, 10, 20, 500], last = [9, 19, 29, 900];
  const spans = {first, last, row: () => 0, key: (i) => (i < 2 ? 1 : 2)};
  assert.equal(visibleBars(4, spans, 0, 1000, 1000).length, 4);
  const joined = visibleBars(4, spans, 0, 1000, 20);
  assert.deepEqual(joined.map(({from, to, count, key}) => [from, to, count, key]), [[0, 30, 3, -1], [500, 901, 1, 2]]);
  assert.equal(visibleBars(4, spans, 0, 15, 1000).length, 2, 'those outside are left out');
  assert.equal(visibleBars(4, {...spans, row: (i) => (i === 3 ? 0 : -1)}, 0, 1000, 1000).length, 1);
});

test('a hundred thousand spans become few bars', () => {
  const count = 100000;
  const first = Float64Array.from({length: count}, (_, i) => 10 * i), last = first.map((cycle) => cycle + 9);
  const bars = visibleBars(count, {first, last, row: (i) => i % 48, key: () => 1}, 0, 10 * count, 900);
  assert.ok(bars.length < 48 * 900 && bars.length > 48, String(bars.length));
  assert.equal(bars.reduce((sum, bar) => sum + bar.count, 0), count);
});

test('bins are labelled where they hold a round number', () => {
  const starts = Array.from({length: 120}, (_, i) => Math.round((i * 127807) / 120));
  const {interval, formatter} = roundLabels(starts, 127807);
  const labelled = starts.map((_, i) => i).filter(interval);
  assert.deepEqual(labelled.map((i) => formatter('', i)), ['0', '50k', '100k']);
  for (const i of labelled.slice(1)) assert.ok(starts[i] <= 50000 * Math.round(starts[i] / 50000) && starts[i + 1] > 50000 * Math.round(starts[i] / 50000), String(i));
  const few = roundLabels([10, 11, 12, 13], 14);
  assert.deepEqual([0, 1, 2, 3].filter(few.interval).map((i) => few.formatter('', i)), ['10', '11', '12', '13']);
});
