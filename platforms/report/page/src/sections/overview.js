// SPDX-License-Identifier: Apache-2.0
// Programs, machines and their runs.
import {number, withUnit} from '../format.js';
import {runColour} from '../colours.js';
import {h} from '../dom.js';
import {createTable} from '../table.js';
import {section} from './section.js';

/** The fact that differs between two runs of the same, and so is not highlighted. */
const kWall = 'Wall time';

/** Facts of a run: [name, sentence, value(run), unit, show(run)]. */
const kFacts = [
  ['Program', 'The CUDA program and its arguments.', (run) => [run.program, ...(run.data.identity?.arguments ?? [])].join(' ')],
  ['Machine', 'Name of the machine.', (run) => run.data.identity?.machine],
  ['Description', 'Description in the machine file.', (run) => run.data.configuration?.description],
  ['SMs', 'Streaming multiprocessors.', (run) => run.sms.length, 'SMs'],
  ['Complete', 'Whether the program completed, or what stopped it; all numbers end there.',
    (run) => (run.data.complete ? 'yes' : `no: ${run.data.why_incomplete ?? 'stopped'}`)],
  ['Cycles', 'Core clock cycles of all timed launches.', (run) => run.cycles, 'cycles'],
  ['Simulated time', 'Time on the modelled machine.', (run) => run.data.run?.simulated_seconds * 1e6, 'µs'],
  [kWall, 'Time on the computer that ran the model.', (run) => run.data.run?.wall_seconds, 's'],
  ['Launches', 'Kernels launched.', (run) => run.kernels.length, 'launches'],
  ['Thread instructions', 'Instructions executed, summed over threads and launches.', (run) => run.kernels.reduce((sum, kernel) => sum + kernel.thread_instructions, 0), 'thread-instructions'],
  ['Heddle', 'Version of Heddle.', (run) => run.data.identity?.heddle],
  ['Program SHA-256', 'Digest of the program file; equal for identical programs.', (run) => run.data.identity?.program_sha256],
  ['PTX SHA-256', 'Digests of the PTX modules executed.', (run) => (run.data.identity?.ptx ?? []).map(({name, sha256}) => `${name} ${sha256}`).join(', ')],
  ['File', 'The run.json file shown.', (run) => run.file],
];

export function overview(runs) {
  const columns = [
    {label: 'Property', value: ([name]) => name, tip: ([name, sentence]) => `${name}\n${sentence}`},
    ...runs.map((run) => ({
      label: run.label, colour: runColour(run.index),
      value: (fact) => fact[2](run),
      show: (fact) => (typeof fact[2](run) === 'number' ? withUnit(fact[2](run), fact[3]) : shorten(fact, run)),
      tip: ([name, sentence, value, unit]) => `${name}: ${typeof value(run) === 'number' ? withUnit(value(run), unit) : value(run) ?? ''}\n${sentence}`,
      class: (fact) => (fact[0] !== kWall && runs.some((one) => one !== runs[0] && fact[2](one) !== fact[2](runs[0])) ? 'differs' : ''),
    })),
  ];
  const stopped = runs.filter((run) => !run.data.complete);
  return section('overview', 'Runs', runs.length > 1 ? 'Differences between the runs are highlighted.' : undefined,
    stopped.length > 0 && h('p', {class: 'warning', role: 'alert'},
      `${stopped.map((run) => run.label).join(', ')}: stopped before the end (${stopped[0].data.why_incomplete ?? 'no cause given'}); the numbers end there.`),
    createTable(columns, kFacts, {file: 'overview', caption: 'Runs', class: 'facts'}).element);
}

/** Digests are long: shows their first letters, and all in the tooltip and the CSV. */
function shorten([name, , value], run) {
  const text = value(run) ?? '–';
  if (!name.includes('SHA-256')) return String(text || '–');
  return String(text).replace(/[0-9a-f]{64}/g, (digest) => `${digest.slice(0, 12)}…`) || '–';
}
