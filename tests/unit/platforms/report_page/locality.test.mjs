// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {accesses, bestLimit, cacheRows, hitRate, loadRows, loopName} from '../../../../platforms/report/page/src/locality.js';

const counts = (hits, misses) => ({intra_thread: hits, inter_thread: 0, inter_warp: 0, merges: 0, misses});
const kernel = {
  loops: [{pc: 3, file: 0, line: 1, limits: []}],
  loads: [{pc: 4, text: 'ld.a', file: 0, line: 2, loop: 0, counts: counts(90, 10), replays: [counts(95, 5)]},
    {pc: 9, text: 'ld.b', file: -1, line: 0, loop: -1, counts: counts(10, 190), replays: [counts(110, 90)]}],
};
const locality = {replays: [{policy: 'belady', bytes: 16384, ways: 4, line_bytes: 128}], files: [{path: '/x/k.cu', lines: ['for', '  a += b;']}]};

test('the run and its replays are sums over the loads', () => {
  const rows = cacheRows(locality, kernel);
  assert.deepEqual(rows.map(({name}) => name), ['the run', 'belady, 16 KB, 4 ways, 128 B lines']);
  assert.deepEqual(rows.map((row) => accesses(row.counts)), [300, 300]);
  assert.equal(hitRate(rows[0].counts), 1 / 3);
});

test('the loads with the most misses come first, with their line and loop', () => {
  const rows = loadRows(locality, kernel);
  assert.deepEqual(rows.map(({place}) => place), ['pc 9  ld.b', 'k.cu:2  a += b;']);
  assert.deepEqual(rows.map(({loop}) => loop), ['', 'loop at k.cu:1, pc 3']);
  assert.deepEqual(rows.map(({hot}) => hot), [true, false]);
  assert.equal(loopName({pc: 3, file: -1, line: 0}, []), 'loop at pc 3');
});

test('a limit is worth a trial only where the time clearly falls', () => {
  const limits = (...cycles) => ({limits: cycles.map((one, i) => ({warps: i + 1, hits: 1, merges: 0, misses: 1, cycles: one}))});
  assert.equal(bestLimit(limits(120, 80, 100)).warps, 2);
  assert.equal(bestLimit(limits(120, 97, 100)), undefined);
  assert.equal(bestLimit({limits: []}), undefined);
});
