// SPDX-License-Identifier: Apache-2.0
// Columns of the annotated source for lines and their instructions.
import {causeColour, causeOrder, runColour} from '../colours.js';
import {h} from '../dom.js';
import {number, percent, plainName, withUnit} from '../format.js';
import {hitShare, laneShare, threadsAnIssue, total} from '../profile.js';

/** A bar of stall causes, scaled relative to the worst line. */
function stallBar(stalls, worst) {
  const all = total(stalls);
  if (all === 0) return '';
  const bar = h('span', {class: 'stalls', style: `width:${Math.max(2, (100 * all) / worst)}%`});
  for (const name of causeOrder(Object.keys(stalls))) {
    if (stalls[name] > 0) bar.append(h('i', {style: `flex:${stalls[name]};background:${causeColour(name)}`}));
  }
  return bar;
}

const kStalls = 'Cycles that warps waited to issue this, summed over warps';
const stallTip = (stalls, sentences) => [
  withUnit(total(stalls), 'cycles'), `${kStalls}, by cause:`,
  ...Object.entries(stalls).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1])
    .map(([name, value]) => `${name} ${number(value)} (${percent(value / total(stalls))}): ${sentences.get(name) ?? ''}`),
].join('\n');

/** Counts with their units and sentences. */
const countTip = (counts, names, declared) => names
  .map((name) => `${withUnit(counts[name] ?? 0, declared.get(name)?.unit)}: ${declared.get(name)?.sentence ?? name}`).join('\n');

/** Columns of the table (table.js); rows are lines {number, text, counts, stalls} and their instructions, as the profile has them.
 *  profile: of the run; onlyPtx: without source lines; sum: counts of all instructions; worst: stall cycles of the worst line;
 *  others: [{one: run, lines: Map line -> {stalls}}] to compare with. */
export function sourceColumns({profile, onlyPtx, sum, worst, others}) {
  const sentences = new Map((profile.causes ?? []).map((cause) => [cause.name, cause.sentence]));
  const declared = new Map((profile.counts ?? []).map((count) => [count.name, count]));
  const allStalls = total(sum.stalls);
  const counted = (name, label, more = []) => ({
    label, unit: declared.get(name)?.unit, sentence: declared.get(name)?.sentence, numeric: true,
    value: ({counts}) => counts[name], show: ({counts}) => (counts[name] === undefined ? '' : number(counts[name])),
    tip: ({counts}) => (counts[name] === undefined ? '' : countTip(counts, [name, ...more], declared)),
  });
  const shared = (label, sentence, share, parts) => ({
    label, unit: '%', sentence, numeric: true, value: (row) => (share(row) === undefined ? undefined : 100 * share(row)),
    show: (row) => (share(row) === undefined ? '' : percent(share(row)).replace(' %', '')),
    tip: (row) => (share(row) === undefined ? '' : `${percent(share(row))}\n${label}: ${sentence}\n${countTip(row.counts, parts, declared)}`),
  });
  const outcomes = (cache) => [`${cache}_hits`, `${cache}_misses`, `${cache}_merges`];
  const looked = (cache) => outcomes(cache).some((name) => sum.counts[name] > 0);
  return [
    {label: 'Line', sentence: 'Source line; for an instruction, its line in the PTX.', value: (row) => row.number ?? row.ptx_line, show: (row, detail) => String(detail ? row.ptx_line ?? '' : row.number || '')},
    {label: onlyPtx ? 'Instruction' : 'Source', value: (row) => row.text, show: (row, detail) => h('code', {class: detail ? 'ptx' : 'cuda', text: row.text || (row.number === 0 ? 'instructions without a line' : '')}), tip: (row) => (row.kernel ? `${row.text}\n${plainName(row.kernel)}, PTX line ${row.ptx_line}, program counter ${row.pc}` : '')},
    counted('issues', 'Issues', ['packets']),
    {label: 'Threads', unit: 'per issue', sentence: 'Mean executing threads per issue, after the guard.', numeric: true, value: threadsAnIssue, show: (row) => threadsAnIssue(row)?.toFixed(1) ?? ''},
    shared('Lanes', 'Share of the lanes of issued packets in which a thread executed.', laneShare, ['active_lanes', 'offered_lanes']),
    {label: 'Stalls', unit: 'cycles', sentence: `${kStalls}.`, numeric: true, value: ({stalls}) => total(stalls) || undefined, show: ({stalls}) => (total(stalls) ? number(total(stalls)) : ''), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
    ...others.map(({one, lines: theirs}) => ({
      label: one.label, unit: 'cycles', colour: runColour(one.index), numeric: true, sentence: `Cycles that warps waited at this line in run ${one.label}.`,
      value: (row) => (row.number === undefined ? undefined : total(theirs.get(row.number)?.stalls ?? {}) || undefined),
      show: (row) => (row.number !== undefined && theirs.has(row.number) ? number(total(theirs.get(row.number).stalls)) : ''),
    })),
    {label: 'Share', unit: '%', sentence: 'Share of all stall cycles of the kernels shown.', numeric: true, value: ({stalls}) => (allStalls ? (100 * total(stalls)) / allStalls : undefined), show: ({stalls}) => (total(stalls) ? percent(total(stalls) / allStalls).replace(' %', '') : '')},
    {label: 'By cause', sentence: 'Stall cycles by cause, relative to the line with the most.', class: () => 'by-cause', value: ({stalls}) => Object.entries(stalls).filter(([, value]) => value).map(([name, value]) => `${name} ${value}`).join('; '), show: ({stalls}) => stallBar(stalls, worst), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
    counted('transactions', 'Sent', ['transaction_bytes']),
    ...['l1', 'l2'].filter(looked).map((cache) => shared(`${cache.toUpperCase()} hits`, `Share of requests that hit in the ${cache === 'l1' ? 'L1 data cache' : 'L2'}.`, (row) => hitShare(row, cache), outcomes(cache))),
    ...[...declared.keys()].filter((name) => !['issues', 'transactions'].includes(name)).map((name) => ({...counted(name, name), onlyCsv: true})),
  ];
}
