// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {kLayers, layersOf, smsWith, visibleRows} from '../../../../platforms/report/page/src/layers.js';

function recorded(columns) {
  const names = Object.keys(columns);
  const table = {columns: names, rows: columns[names[0]].length, column: (name) => columns[name] && Float64Array.from(columns[name])};
  return {data: {time_series: {table}}};
}
const named = (id) => kLayers.find((one) => one.id === id);
const shown = (run, id, sm) => layersOf(run, named(id), sm).layers.map(({name, values}) => [name, [...values]]);

test('layers are sums over all SMs or of one, without those that stay empty', () => {
  const run = recorded({
    cycle: [99, 199], 'sm0.ganging.warps_in_8': [800, 0], 'sm1.ganging.warps_in_8': [800, 800], 'sm10.ganging.warps_in_8': [1, 1],
    'sm0.ganging.warps_in_1': [0, 100], 'sm1.ganging.warps_in_1': [0, 0], 'sm0.ganging.warps_in_5': [0, 0],
  });
  assert.deepEqual(shown(run, 'gang_sizes'), [['in gangs of 8', [1601, 801]], ['alone', [0, 100]]]);
  assert.deepEqual(shown(run, 'gang_sizes', 1), [['in gangs of 8', [800, 800]]]);
  assert.deepEqual(smsWith(run, named('gang_sizes')), [0, 1, 10]);
  assert.deepEqual(shown(run, 'gang_lanes'), []);
  assert.deepEqual(shown({data: {}}, 'gang_sizes'), []);
});

test('fetches of slices are told apart by where they come from', () => {
  const run = recorded({cycle: [9], 'sm0.gang_fetch.gangs': [3], 'sm0.gang_fetch.slices': [7], 'sm0.gang_fetch.from_l0': [5]});
  assert.deepEqual(shown(run, 'gang_fetches'), [['gangs', [3]], ['slices, from the cache', [2]], ['slices, from L0', [5]]]);
});

test('large warps count as the sub-warps that they consist of', () => {
  const run = recorded({
    cycle: [9], 'sm0.partner_issue.warps_of_8': [3], 'sm0.partner_issue.warps_of_1': [5], 'sm1.partner_issue.warps_of_1': [2],
    'sm0.sub_warp_synchroniser.locked_warp_cycles': [70],
  });
  assert.deepEqual(shown(run, 'large_warps'), [['8 together', [24]], ['alone', [7]]]);
  assert.deepEqual(shown(run, 'locked_warps'), [['locked', [70]]]);
});

test('loads that lose locality are a part of those that miss', () => {
  const run = recorded({
    cycle: [9], 'sm0.victim_tags.own_hits': [5], 'sm0.victim_tags.other_hits': [2], 'sm0.victim_tags.probes': [9], 'sm0.victim_tags.hits': [4],
    'sm0.cache_conscious.active_warp_cycles': [60], 'sm0.cache_conscious.admitted_warp_cycles': [20],
  });
  assert.deepEqual(shown(run, 'lost_locality'), [['own line', [5]], ['line of another warp', [2]], ['lost before', [4]], ['other misses', [5]]]);
  assert.deepEqual(shown(run, 'cutoff_warps'), [['may load', [20]], ['beyond the cutoff', [40]]]);
});

test('many rows are joined, and a mean weighs them by their cycles', () => {
  const of = {cycle: Float64Array.from([99, 199, 249]), layers: [{values: Float64Array.from([100, 300, 50])}]};
  assert.deepEqual(visibleRows(of, 0, 249, 10), {cycle: [99, 199, 249], means: [[1, 3, 1]]});
  assert.deepEqual(visibleRows(of, 0, 249, 2), {cycle: [199, 249], means: [[2, 1]]});
  assert.deepEqual(visibleRows(of, 150, 180, 10), {cycle: [99, 199], means: [[1, 3]]});
  assert.deepEqual(visibleRows({cycle: [], layers: []}, 0, 9, 10), {cycle: [], means: []});
});
