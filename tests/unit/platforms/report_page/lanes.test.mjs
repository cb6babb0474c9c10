// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {joinWider, lanesOf, widestClass} from '../../../../platforms/report/page/src/lanes.js';

test('a class counts as its upper end', () => {
  assert.deepEqual(['W1-4', 'W32', 'W33+', 'W0_idle', 'sum'].map(lanesOf), [4, 32, 33, 0, 0]);
});

test('the widest class is one with a hundredth of the issuing slots', () => {
  assert.equal(widestClass([{'W1-4': 10, 'W0_idle': 1e6}]), 32);
  assert.equal(widestClass([{W32: 100}, {W32: 90, 'W61-64': 10}]), 64);
  assert.equal(widestClass([{W32: 1000, 'W253-256': 10}]), 32, 'idle slots and rare tokens do not count');
  assert.equal(widestClass([{W32: 989, 'W253-256': 11}]), 256);
});

test('wider classes are one, and nothing is lost', () => {
  const counts = {'W1-4': 5, W32: 7, 'W61-64': 2, 'W253-256': 3, W0_idle: 9};
  assert.deepEqual(joinWider(counts, 32), {'W1-4': 5, W32: 7, 'W33+': 5, W0_idle: 9});
  assert.deepEqual(joinWider(counts, 256), counts);
});
