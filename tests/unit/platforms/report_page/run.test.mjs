// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {byLine, hitShare, laneShare, sameFile, sumOf, threadsAnIssue} from '../../../../platforms/report/page/src/profile.js';
import {compareConfigurations, declaredPath, flatten, residentThreads, Run} from '../../../../platforms/report/page/src/run.js';

/** Two classes of SMs, one of which knows a cause more. */
const run = new Run({
  label: 'x', file: 'run.json', run: {
    run: {cycles: 100}, identity: {program: '/a/b/bfs'},
    declarations: {classes: {few: {'issue.slots.memory': {unit: 'slots', sentence: 'issue slots: waited for data'}}, many: {}}},
    statistics: {
      classes: {
        few: {'issue.slots.cycles': 100, 'issue.slots.issued': 30, 'issue.slots.memory': 70, lanes: {W1: 3, sum: 9}},
        many: {'issue.slots.cycles': 200, 'issue.slots.issued': 50, 'issue.slots.own': 150, lanes: {W1: 1, W2: 1, sum: 2}},
        l2: {'cache.requests': 4},
      },
      instances: {sm0: {'issue.slots.cycles': 100}, sm1: {'issue.slots.cycles': 100}, l2_0: {'cache.requests': 4}},
    },
    kernels: [
      {launch: 1, name: 'k', timed: true, cycles: 40, statistics: {classes: {few: {'issue.slots.cycles': 40, 'issue.slots.issued': 40}}}},
      {launch: 2, name: 'k', timed: true, cycles: 60, statistics: {classes: {few: {'issue.slots.cycles': 60, 'issue.slots.memory': 60}}}},
      {launch: 3, name: 'f', timed: false, statistics: undefined},
    ],
    regions: [{name: 'a:b', statistics: {classes: {many: {'issue.slots.own': 5}}}}],
  },
}, 0);

test('statistics of several SM classes are summed', () => {
  assert.deepEqual(run.smClasses, ['few', 'many']);
  assert.deepEqual(run.sms, ['sm0', 'sm1']);
  assert.equal(run.sm('issue.slots.cycles'), 300);
  assert.deepEqual(run.sm('lanes'), {W1: 4, W2: 1, sum: 11});
  assert.equal(run.sm('nothing'), undefined);
  const {causes, cycles} = run.slots();
  assert.equal(cycles, 300);
  assert.deepEqual(causes.map(({name, value}) => [name, value]), [['issued', 80], ['memory', 70], ['own', 150]]);
  assert.equal(causes[1].sentence, 'waited for data');
});

test('intervals are launches, kernels and regions', () => {
  const values = (interval) => Object.fromEntries(run.slots(interval).causes.map(({name, value}) => [name, value]));
  assert.deepEqual(values('launch:2'), {issued: 0, memory: 60, own: 0});
  assert.deepEqual(values('name:k'), {issued: 40, memory: 60, own: 0});
  assert.deepEqual(values('region:a:b'), {issued: 0, memory: 0, own: 5});
  assert.deepEqual(values('launch:3'), {issued: 0, memory: 0, own: 0});
  assert.equal(run.cyclesOf('name:k'), 100);
  assert.equal(run.cyclesOf('launch:1'), 40);
  assert.equal(run.cyclesOf('region:a:b'), undefined);
  assert.deepEqual(run.intervals().map(([key]) => key), ['run', 'name:k', 'name:f', 'region:a:b', 'launch:1', 'launch:2', 'launch:3']);
});

test('configurations are compared leaf by leaf, ignoring annotations', () => {
  const a = {name: 'a', gpu: {clocks: {core: {value: 700, published: '700 MHz', source: 's'}}, list: [1, 2], sms: [{order: 'gto'}], same: 1}};
  const b = {name: 'b', gpu: {clocks: {core: 800}, list: [1, 2], sms: [{order: 'lrr'}, {order: 'lrr'}], same: 1}};
  assert.deepEqual([...flatten(a).keys()], ['gpu.clocks.core', 'gpu.list', 'gpu.sms[0].order', 'gpu.same']);
  const compared = compareConfigurations([a, b]);
  assert.deepEqual(compared.filter(({same}) => !same).map(({path, values}) => [path, ...values]),
    [['gpu.clocks.core', '700', '800'], ['gpu.sms[0].order', 'gto', 'lrr'], ['gpu.sms[1].order', undefined, 'lrr']]);
  assert.equal(compared[0].origin.published, '700 MHz');
  assert.equal(declaredPath('gpu.sms[12].order'), 'gpu.sms.*.order');
  assert.deepEqual(compareConfigurations([undefined]), []);
});

test('each SM holds the number of threads of its class', () => {
  const sm = (threads) => ({residency: {threads}});
  const sm_classes = [{count: 1, sm: sm(512)}, {count: {value: 2, chosen: true}, sm: sm({value: 1024, source: 's'})}];
  assert.deepEqual(residentThreads({gpu: {sm_classes}}), [512, 1024, 1024]);
  assert.deepEqual(residentThreads(undefined), []);
});

test('the class of the instance declares a column of a time series', () => {
  assert.equal(run.columnDeclaration('sm0.issue.slots.memory').unit, 'slots');
  assert.equal(run.columnDeclaration('sm1.issue.slots.memory[x]').unit, 'slots');
  assert.equal(run.columnDeclaration('sm1.issue.slots.own').unit, '');
});

test('a profile is summed by source line', () => {
  const instructions = [
    {file: 0, line: 5, counts: {issues: 2, packets: 4, active_lanes: 42, offered_lanes: 84, l1_hits: 3, l1_misses: 1}, stalls: {memory: 7}},
    {file: 0, line: 5, counts: {issues: 1, l1_merges: 2}, stalls: {memory: 1, hazard: 2}},
    {file: 1, line: 5, counts: {issues: 9}},
    {file: -1, line: 0, counts: {issues: 3}},
  ];
  const lines = byLine([{name: 'k', instructions}], 0);
  assert.deepEqual([...lines.keys()], [5]);
  assert.deepEqual(lines.get(5).counts, {issues: 3, packets: 4, active_lanes: 42, offered_lanes: 84, l1_hits: 3, l1_misses: 1, l1_merges: 2});
  assert.deepEqual(lines.get(5).stalls, {memory: 8, hazard: 2});
  assert.equal(lines.get(5).instructions.length, 2);
  assert.equal(threadsAnIssue(lines.get(5)), 14);
  assert.equal(laneShare(lines.get(5)), 0.5);
  assert.equal(hitShare(lines.get(5), 'l1'), 0.5);
  assert.equal(hitShare(lines.get(5), 'l2'), undefined);
  assert.equal(threadsAnIssue({counts: {}}), undefined);
  assert.equal(laneShare({counts: {}}), undefined);
  assert.deepEqual([...byLine([{name: 'k', instructions}], -1).keys()], [0]);
  assert.equal(sumOf(instructions).counts.issues, 15);
  const profile = {files: [{path: '/a/x.cu'}, {path: '/b/y.cu'}]};
  assert.equal(sameFile(profile, '/c/y.cu'), 1);
  assert.equal(sameFile(profile, '/c/z.cu'), -1);
});
