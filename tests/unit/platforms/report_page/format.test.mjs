// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {compare, csv, number, percent, perCycle, plainName, short, withUnit} from '../../../../platforms/report/page/src/format.js';

test('numbers have a useful number of digits', () => {
  assert.equal(number(1234567), '1,234,567');
  assert.equal(number(0.26761234), '0.2676');
  assert.equal(number(12345.6), '12,346');
  assert.equal(number(0.0000123), '1.23e-5');
  assert.equal(number(undefined), '–');
  assert.equal(number(NaN), '–');
  assert.equal(short(9999), '9999');
  assert.equal(short(42850), '42.9k');
  assert.equal(short(3.2e9), '3.2G');
});

test('units follow numbers, in the singular for 1', () => {
  assert.equal(withUnit(2, 'cycles'), '2 cycles');
  assert.equal(withUnit(1, 'cycles'), '1 cycle');
  assert.equal(withUnit(1, 'accesses'), '1 access');
  assert.equal(withUnit(1, 'entries'), '1 entry');
  assert.equal(withUnit(1, 'instructions/cycle'), '1 instructions/cycle');
  assert.equal(withUnit(1, 's'), '1 s');
  assert.equal(withUnit(undefined, 'cycles'), '–');
  assert.equal(withUnit(5, ''), '5');
  assert.equal(percent(0.4321), '43.2 %');
  assert.equal(percent(0.00432), '0.43 %');
  assert.equal(percent(0), '0 %');
});

test('a counter divided by cycles has a unit per cycle', () => {
  assert.equal(perCycle('threads x cycles'), 'threads');
  assert.equal(perCycle('bytes'), 'bytes/cycle');
  assert.equal(perCycle(undefined), 'events/cycle');
});

test('mangled names are demangled', () => {
  assert.equal(plainName('_Z6expandPKiS0_PhS1_PiiPji'), 'expand');
  assert.equal(plainName('_ZN3foo3barEv'), 'foo::bar');
  assert.equal(plainName('_ZN12_GLOBAL__N_13runEv'), '(anonymous)::run');
  assert.equal(plainName('_Z6kernelIfLi4EEvPT_'), 'kernel');
  assert.equal(plainName('plain'), 'plain');
});

test('CSV fields are quoted where necessary', () => {
  assert.equal(csv([['a', 'b,c'], [1, 'say "x"'], [undefined, NaN]]), 'a,"b,c"\r\n1,"say ""x"""\r\n,\r\n');
});

test('sorting is numeric or in natural order, with absent values last in both directions', () => {
  const sorted = (list, descending) => [...list].sort((a, b) => compare(a, b, descending));
  assert.deepEqual(sorted([10, 9, undefined, 100], false), [9, 10, 100, undefined]);
  // Array.sort puts undefined last by itself; null exercises compare.
  assert.deepEqual(sorted([10, null, 100], true), [100, 10, null]);
  assert.deepEqual(sorted(['sm10', 'sm9', 'sm1'], false), ['sm1', 'sm9', 'sm10']);
});
