// SPDX-License-Identifier: Apache-2.0
// The launches of all runs.
import {runColour} from '../colours.js';
import {h} from '../dom.js';
import {percent, plainName} from '../format.js';
import {createTable} from '../table.js';
import {absent, section} from './section.js';

/** A counter of a launch, summed over the SM classes. */
const counted = ({run, kernel}, name) => run.sm(name, kernel.statistics?.classes ?? {});
const share = (row, part, ...whole) => {
  const all = whole.reduce((sum, name) => sum + (counted(row, name) ?? 0), 0);
  return all > 0 ? counted(row, part) / all : undefined;
};
const extent = (three) => three.filter((one, i) => one > 1 || i === 0).join(' × ');

export function kernels(runs) {
  const rows = runs.flatMap((run) => run.kernels.map((kernel) => ({run, kernel})));
  if (rows.length === 0) return section('kernels', 'Kernels', undefined, absent('No kernel was launched.'));
  const several = runs.length > 1;
  const number = (label, unit, sentence, value) => ({label, unit, sentence, numeric: true, value});
  const ratio = (label, sentence, value) => ({label, unit: '%', sentence, numeric: true, value: (row) => { const one = value(row); return one === undefined ? undefined : 100 * one; }, show: (row) => percent(value(row)).replace(' %', '')});
  const columns = [
    number('Launch', undefined, 'Number of the launch, in order.', ({kernel}) => kernel.launch),
    several && {label: 'Run', sentence: 'Run of the launch.', value: ({run}) => run.label, show: ({run}) => h('span', {class: 'run'}, h('i', {class: 'swatch', style: `background:${runColour(run.index)}`}), run.label)},
    {label: 'Kernel', sentence: 'Name of the kernel.', value: ({kernel}) => kernel.name, show: ({kernel}) => plainName(kernel.name), tip: ({kernel}) => `${plainName(kernel.name)}\n${kernel.name}\nGrid ${extent(kernel.grid)} blocks of ${extent(kernel.block)} threads${kernel.complete === false ? '\nDid not complete' : ''}`},
    {label: 'Grid', unit: 'blocks', sentence: 'Blocks in the grid.', numeric: true, value: ({kernel}) => kernel.grid.reduce((a, b) => a * b), show: ({kernel}) => extent(kernel.grid)},
    {label: 'Block', unit: 'threads', sentence: 'Threads per block.', numeric: true, value: ({kernel}) => kernel.block.reduce((a, b) => a * b), show: ({kernel}) => extent(kernel.block)},
    number('Registers', 'per thread', 'Registers per thread.', ({kernel}) => kernel.registers),
    number('First cycle', 'cycles', 'Core clock cycle in which the launch began.', ({kernel}) => kernel.first_cycle),
    number('Cycles', 'cycles', 'Core clock cycles from begin to end; none for a functional launch.', ({kernel}) => (kernel.timed ? kernel.cycles : undefined)),
    number('Thread instr.', 'executed', 'Instructions executed, summed over threads.', ({kernel}) => kernel.thread_instructions),
    number('IPC', 'per cycle', 'Warp instructions issued per cycle of the launch, over all SMs.', ({kernel}) => kernel.statistics?.machine?.ipc),
    number('Thread IPC', 'per cycle', 'Thread instructions issued per cycle of the launch, over all SMs.', ({kernel}) => kernel.statistics?.machine?.thread_ipc),
    ratio('Lanes', 'Share of the lanes of issued packets in which a thread executed.', (row) => share(row, 'issue.active_lanes', 'issue.offered_lanes')),
    ratio('L1 hits', 'Share of lines read that were present in the L1 data caches.', (row) => share(row, 'l1d.read_hits', 'l1d.read_hits', 'l1d.read_misses', 'l1d.read_merges')),
    number('Trans./access', 'transactions', 'Mean transactions per global or local access.', (row) => {
      const counts = counted(row, 'memory.transactions_per_access');
      if (!counts) return undefined;
      const accesses = Object.entries(counts).reduce((sum, [label, count]) => sum + (label === 'sum' ? 0 : count), 0);
      return accesses > 0 ? counts.sum / accesses : undefined;
    }),
  ].filter(Boolean);
  return section('kernels', 'Kernels', undefined, createTable(columns, rows, {file: 'kernels', caption: 'Kernels', class: 'kernels', filter: 'Find', limit: 60}).element);
}
