// SPDX-License-Identifier: Apache-2.0
// Runs for the tests: recorded from a CUDA program on a machine, or lengthened with random data.
import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {basename, join} from 'node:path';

/** How a run is recorded. */
const kRecord = ['--inspect'];

/** Numbers from 0 to 1, the same in every run of the tests. */
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Runs a program of the build tree, inspected; the path of its run.json. tools: {heddle, workloads}. */
export function record(tools, machine, program, folder) {
  const out = join(folder, basename(machine, '.json'));
  mkdirSync(out, {recursive: true});
  execFileSync(tools.heddle, ['run', '--force', '--machine', machine, '--output', out, ...kRecord,
    join(tools.workloads, program), '--size', 'small'], {stdio: ['ignore', 'ignore', 'inherit']});
  return join(out, 'run.json');
}

/** A copy of a run with so many rows of time series and spans of warps, one every 100 cycles. */
export function lengthened(run, rows, seed = 1) {
  const random = chance(seed);
  const {columns} = run.time_series;
  const long = structuredClone(run);
  long.run.cycles = rows * 100;
  long.run.simulated_seconds *= long.run.cycles / run.run.cycles;
  long.time_series = {every: 100, columns, rows: []};
  for (let i = 0; i < rows; ++i) {
    long.time_series.rows.push(columns.map((name, c) => (c === 0 ? 100 * i + 99 : Math.floor((60 + 40 * Math.sin(i / 3000 + c)) * random()))));
  }
  const warps = [];
  for (let i = 0; i < rows; ++i) warps.push([i % 2, (i >> 1) % 48, 0, 1 + (i % 9), i, 100 * (i - (i % 96)), 100 * (i - (i % 96)) + 9000 * random() + 1 | 0, 20]);
  long.spans.warps.rows = warps;
  return long;
}
