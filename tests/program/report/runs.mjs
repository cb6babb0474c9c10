// SPDX-License-Identifier: Apache-2.0
// Runs to show: a CUDA program on a machine, recorded by the command. What a command that does not know --inspect leaves
// out, the instruction profile and the spans, is made up from the program's PTX and from the launches, in the same form.
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';

const kCounters = ['sm*.issue.warp_instructions', 'sm*.issue.thread_instructions', 'sm*.issue.slots.*', 'sm*.l1d.read_*', 'l2_*.cache.read_*',
  'mc*.controller.read_bytes', 'mc*.controller.written_bytes', 'mc*.controller.channel.row_*'];
/** How a run is recorded. */
const kRecord = ['--series', kCounters.join(), '--series-every', '100'];

const kCauses = {
  hazard: 'the operands are results that are not there yet', memory: 'the operands are data that did not come yet', fetch: 'the instruction was not fetched',
  unit_busy: 'its unit was busy', not_chosen: 'another context was chosen', branch: 'a branch has not resolved',
};

/** Numbers from 0 to 1, the same in every run of the tests. */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Runs a program of the build tree, inspected; the path of its run.json. tools: {heddle, workloads, sources}. With `genuine`
 * nothing is made up. */
export function record(tools, machine, program, folder, {genuine = false} = {}) {
  const out = join(folder, basename(machine, '.json'));
  mkdirSync(out, {recursive: true});
  execFileSync(tools.heddle, ['run', '--machine', machine, '--output', out, ...kRecord,
    join(tools.workloads, program), '--size', 'small'], {stdio: ['ignore', 'ignore', 'inherit']});
  const file = join(out, 'run.json');
  if (genuine) return file;
  const run = JSON.parse(readFileSync(file, 'utf8'));
  if (!run.profile) run.profile = profile(tools, program, folder, run, chance(machine.length));
  if (!run.spans) run.spans = spans(run, chance(7));
  occupancy(run);
  writeFileSync(file, JSON.stringify(run));
  return file;
}

function profile(tools, program, folder, run, random) {
  const source = join(tools.sources, `${program}.cu`), ptx = join(folder, `${program}.ptx`);
  execFileSync(tools.heddle, ['cc', '-O2', '-lineinfo', '-ptx', source, '-o', ptx]);
  const lines = readFileSync(ptx, 'utf8').split('\n');
  const files = new Map();
  for (const line of lines) {
    const match = /^\s*\.file\s+(\d+) "(.*)"/.exec(line);
    if (match) files.set(Number(match[1]), {path: match[2], lines: match[2] === source ? readFileSync(source, 'utf8').split('\n') : []});
  }
  const numbers = [...files.keys()];
  const kernels = [];
  let kernel = null, at = {file: -1, line: 0};
  lines.forEach((text, i) => {
    const entry = /\.entry (\w+)\(/.exec(text), place = /^\s*\.loc\s+(\d+) (\d+)/.exec(text);
    if (entry) kernels.push(kernel = {name: entry[1], sentences: {issues: {unit: 'instructions', sentence: 'instructions issued, once for all packets of one'}}, instructions: []});
    else if (place && Number(place[2]) > 0) at = {file: numbers.indexOf(Number(place[1])), line: Number(place[2])};
    else if (kernel && /^\t@?[%a-z].*;$/.test(text)) kernel.instructions.push(instruction(text.trim().replaceAll('\t', ' '), i + 1, 8 * kernel.instructions.length, at, run, random));
  });
  return {causes: Object.entries(kCauses).map(([name, sentence]) => ({name, sentence})), files: [...files.values()], kernels};
}

function instruction(text, ptx_line, pc, {file, line}, run, random) {
  const issues = Math.floor(40 + 500 * random());
  const load = /\bld\.global|atom/.test(text);
  const counts = {issues, packets: issues, active_lanes: Math.floor(issues * (2 + 28 * random()))};
  const stalls = {hazard: Math.floor(issues * 4 * random()), not_chosen: Math.floor(issues * random())};
  if (load) {
    Object.assign(counts, {transactions: issues * 3, l1_hits: Math.floor(issues * 1.7), l1_misses: Math.floor(issues * 0.9), l1_merges: Math.floor(issues * 0.4)});
    stalls.unit_busy = Math.floor(issues / 2);
  } else if (random() < 0.3) {
    stalls.memory = Math.floor(issues * 60 * random() * (run.cycles > 45000 ? 2 : 1));
  }
  if (/\bbra\b/.test(text)) stalls.branch = issues;
  return {pc, text, ptx_line, file, line, counts, stalls};
}

function spans(run, random) {
  const sms = Object.keys(run.statistics.instances).filter((name) => /^sm\d+$/.test(name)).length;
  const blocks = [], warps = [];
  for (const kernel of run.kernels) {
    const count = kernel.grid.reduce((a, b) => a * b), threads = kernel.block.reduce((a, b) => a * b);
    for (let block = 0; block < count; ++block) {
      const sm = block % sms, slot = Math.floor(block / sms) % 8;
      const first = kernel.first_cycle + Math.floor(20 * random()), last = first + Math.floor(kernel.cycles * (0.3 + 0.6 * random()));
      blocks.push([sm, slot, kernel.launch, block, first, last]);
      for (let warp = 0; warp < threads / 32; ++warp) {
        warps.push([sm, slot * (threads / 32) + warp, slot, kernel.launch, block, first, last - Math.floor((last - first) * 0.4 * random()), Math.floor(300 * random())]);
      }
    }
  }
  return {
    truncated: false,
    blocks: {columns: ['sm', 'slot', 'launch', 'block', 'first_cycle', 'last_cycle'], rows: blocks},
    warps: {columns: ['sm', 'warp', 'block_slot', 'launch', 'block', 'first_cycle', 'last_cycle', 'instructions'], rows: warps},
  };
}

/** Contexts on each SM over time, from the spans of warps. */
function occupancy(run) {
  const {columns, rows} = run.time_series;
  if (columns.some((name) => name.endsWith('.issue.resident_warp_cycles'))) return;
  const sms = columns.filter((name) => /^sm\d+\.issue\.warp_instructions$/.test(name)).map((name) => Number(/\d+/.exec(name)[0]));
  columns.push(...sms.map((sm) => `sm${sm}.issue.resident_warp_cycles`));
  let before = -1;
  for (const row of rows) {
    const from = before + 1, to = row[0];
    before = to;
    for (const sm of sms) {
      row.push(run.spans.warps.rows.filter((warp) => warp[0] === sm).reduce((sum, warp) => sum + Math.max(0, Math.min(to, warp[6]) - Math.max(from, warp[5]) + 1), 0));
    }
  }
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
