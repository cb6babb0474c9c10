// SPDX-License-Identifier: Apache-2.0
// The source, line by line, with what the machine did there; a line opens to its PTX instructions.
import {causeColour, causeOrder, runColour} from '../colours.js';
import {choice, h, tick} from '../dom.js';
import {baseName, number, percent, plainName, withUnit} from '../format.js';
import {byLine, hitShare, laneShare, sameFile, sumOf, threadsAnIssue, total} from '../profile.js';
import {createTable, runChoice} from '../table.js';
import {absent, section} from './section.js';

/** A bar of the causes of stalls, as wide as the share of the worst line. */
function stallBar(stalls, worst) {
  const all = total(stalls);
  if (all === 0) return '';
  const bar = h('span', {class: 'stalls', style: `width:${Math.max(2, (100 * all) / worst)}%`});
  for (const name of causeOrder(Object.keys(stalls))) {
    if (stalls[name] > 0) bar.append(h('i', {style: `flex:${stalls[name]};background:${causeColour(name)}`}));
  }
  return bar;
}
const kStalls = 'Cycles that contexts waited while this was their next instruction, summed over contexts';
const stallTip = (stalls, sentences) => [
  withUnit(total(stalls), 'cycles'), `${kStalls}, by cause:`,
  ...Object.entries(stalls).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1])
    .map(([name, value]) => `${name} ${number(value)} (${percent(value / total(stalls))}): ${sentences.get(name) ?? ''}`),
].join('\n');
/** Counts with their units and sentences. */
const countTip = (counts, names, declared) => names
  .map((name) => `${withUnit(counts[name] ?? 0, declared.get(name)?.unit)}: ${declared.get(name)?.sentence ?? name}`).join('\n');

export function source(runs) {
  const having = runs.filter((run) => run.data.profile?.kernels?.length > 0);
  const how = 'heddle run --inspect -o FOLDER PROGRAM';
  if (having.length === 0) return section('source', 'Annotated source', undefined, absent('No run recorded an instruction profile.', how));
  let run = having[0], kernel = '*', file = busiestFile(run), all = false;
  const place = h('div'), tools = h('div', {class: 'tools'});

  function fill() {
    const {profile} = run.data;
    const kernels = profile.kernels.filter((one) => kernel === '*' || one.name === kernel);
    const sentences = new Map((profile.causes ?? []).map((cause) => [cause.name, cause.sentence]));
    const declared = new Map((profile.counts ?? []).map((count) => [count.name, count]));
    const lines = byLine(kernels, file);
    const text = profile.files[file]?.lines ?? [];
    const numbers = text.length > 0 && all ? text.map((_, i) => i + 1) : withSurroundings([...lines.keys()], text.length);
    const rows = [...new Set([...numbers, ...lines.keys()])].sort((a, b) => a - b).map((number) => ({number, text: text[number - 1] ?? '', ...(lines.get(number) ?? {counts: {}, stalls: {}, instructions: []})}));
    const worst = Math.max(1, ...rows.map(({stalls}) => total(stalls)));
    const sum = sumOf(kernels.flatMap((one) => one.instructions));
    const allStalls = total(sum.stalls);
    const others = having.filter((one) => one !== run).slice(0, 4).map((one) => ({one, lines: linesOfOther(one, profile, file, kernel)}));
    const counted = (name, label, more) => ({
      label, unit: declared.get(name)?.unit, sentence: declared.get(name)?.sentence, numeric: true,
      value: ({counts}) => counts[name], show: ({counts}) => (counts[name] === undefined ? '' : number(counts[name])),
      tip: ({counts}) => (counts[name] === undefined ? '' : countTip(counts, [name, ...(more ?? [])], declared)), ...(more === undefined && {onlyCsv: true}),
    });
    const shared = (label, sentence, share, parts) => ({
      label, unit: '%', sentence, numeric: true, value: (row) => (share(row) === undefined ? undefined : 100 * share(row)),
      show: (row) => (share(row) === undefined ? '' : percent(share(row)).replace(' %', '')),
      tip: (row) => (share(row) === undefined ? '' : `${percent(share(row))}\n${label}: ${sentence}\n${countTip(row.counts, parts, declared)}`),
    });
    const outcomes = (cache) => [`${cache}_hits`, `${cache}_misses`, `${cache}_merges`];
    const looked = (cache) => outcomes(cache).some((name) => sum.counts[name] > 0);
    const columns = [
      {label: 'Line', sentence: 'Line of the source; of an instruction its line in the PTX.', value: (row) => row.number ?? row.ptx_line, show: (row, detail) => String(detail ? row.ptx_line ?? '' : row.number || '')},
      {label: file < 0 ? 'Instruction' : 'Source', value: (row) => row.text, show: (row, detail) => h('code', {class: detail ? 'ptx' : 'cuda', text: row.text || (row.number === 0 ? 'instructions without a line' : '')}), tip: (row) => (row.kernel ? `${row.text}\n${plainName(row.kernel)}, PTX line ${row.ptx_line}, program counter ${row.pc}` : '')},
      counted('issues', 'Issues', ['packets']),
      {label: 'Threads', unit: 'an issue', sentence: 'Threads that executed it, the guard applied, of one issue on average.', numeric: true, value: threadsAnIssue, show: (row) => threadsAnIssue(row)?.toFixed(1) ?? ''},
      shared('Lanes', 'Share of the lanes of its packets in which a thread executed.', laneShare, ['active_lanes', 'offered_lanes']),
      {label: 'Stalls', unit: 'cycles', sentence: `${kStalls}.`, numeric: true, value: ({stalls}) => total(stalls) || undefined, show: ({stalls}) => (total(stalls) ? number(total(stalls)) : ''), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
      ...others.map(({one, lines: theirs}) => ({
        label: one.label, unit: 'cycles', colour: runColour(one.index), numeric: true, sentence: `Cycles that contexts waited at this line on ${one.label}.`,
        value: (row) => (row.number === undefined ? undefined : total(theirs.get(row.number)?.stalls ?? {}) || undefined),
        show: (row) => (row.number !== undefined && theirs.has(row.number) ? number(total(theirs.get(row.number).stalls)) : ''),
      })),
      {label: 'Share', unit: '%', sentence: 'Of all stall cycles of the kernels that are shown.', numeric: true, value: ({stalls}) => (allStalls ? (100 * total(stalls)) / allStalls : undefined), show: ({stalls}) => (total(stalls) ? percent(total(stalls) / allStalls).replace(' %', '') : '')},
      {label: 'By cause', sentence: 'Stall cycles by cause; the widest bar is the worst line.', class: () => 'by-cause', value: ({stalls}) => Object.entries(stalls).filter(([, value]) => value).map(([name, value]) => `${name} ${value}`).join('; '), show: ({stalls}) => stallBar(stalls, worst), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
      counted('transactions', 'Sent', ['transaction_bytes']),
      ...['l1', 'l2'].filter(looked).map((cache) => shared(`${cache.toUpperCase()} hits`, `Share of its requests that the ${cache === 'l1' ? 'data cache' : 'L2'} had.`, (row) => hitShare(row, cache), outcomes(cache))),
      ...[...declared.keys()].filter((name) => !['issues', 'transactions'].includes(name)).map((name) => counted(name, name)),
    ];
    const table = createTable(columns, rows, {
      file: `source_${baseName(profile.files[file]?.path ?? 'ptx')}`, caption: 'Annotated source', class: 'source', limit: 600,
      detail: (row) => (row.instructions?.length > 0 ? row.instructions.map((one) => ({counts: {}, stalls: {}, ...one})) : null),
      detailLabel: (row) => `PTX instructions of line ${row.number}`,
      className: ({stalls}, detail) => (!detail && total(stalls) > 0.1 * allStalls ? 'hot' : ''),
    });
    const seen = causeOrder(Object.keys(sum.stalls).filter((name) => sum.stalls[name] > 0));
    place.replaceChildren(
      h('ul', {class: 'legend'}, seen.map((name) => h('li', {tabindex: '0', 'data-tip': `${name}: ${withUnit(sum.stalls[name], 'cycles')}\n${sentences.get(name) ?? ''}`}, h('i', {class: 'swatch', style: `background:${causeColour(name)}`}), `${name} ${percent(sum.stalls[name] / allStalls)}`))),
      text.length === 0 && file >= 0 ? absent(`${profile.files[file].path} could not be read when the program ran; lines are shown without text.`) : '',
      table.element);
  }
  function fillTools() {
    const {profile} = run.data;
    const instructions = profile.kernels.flatMap((one) => one.instructions);
    const waited = total(sumOf(instructions).stalls);
    // Each with its part of the waiting, for none to be overlooked.
    const fileChoice = (index, name) => {
      const own = instructions.filter((one) => one.file === index);
      return own.length === 0 ? [] : [[String(index), `${name} (${percent(waited ? total(sumOf(own).stalls) / waited : 0)})`]];
    };
    const files = [...profile.files.flatMap((one, i) => fileChoice(i, baseName(one.path))), ...fileChoice(-1, 'PTX without lines')];
    tools.replaceChildren(...[
      runChoice('Run', having, run.index, (index) => { run = runs[index]; kernel = '*'; file = busiestFile(run); fillTools(); fill(); }),
      choice('Kernel', [['*', 'all'], ...profile.kernels.map((one) => [one.name, plainName(one.name)])], kernel, (name) => { kernel = name; fill(); }),
      choice('File', files, String(file), (index) => { file = Number(index); fill(); }),
      tick('Whole file', all, (on) => { all = on; fill(); }),
      h('span', {class: 'quiet', text: profile.files[file]?.path ?? ''}),
    ].filter(Boolean));
  }
  fillTools();
  fill();
  const missing = runs.filter((one) => !having.includes(one));
  return section('source', 'Annotated source', 'What each line cost. The arrow before a line, or Enter, opens its PTX instructions.', missing.length > 0 && absent(`${missing.map((one) => one.label).join(', ')}: no instruction profile.`, how), tools, place);
}

/** Index of the file in which most issues lie. */
function busiestFile({data: {profile}}) {
  const issues = new Map();
  for (const {instructions} of profile.kernels) {
    for (const {file, counts} of instructions) issues.set(file, (issues.get(file) ?? 0) + (counts?.issues ?? 0));
  }
  return [...issues].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? -1;
}

/** Lines with the three before and the two after each, within the file. */
function withSurroundings(lines, count) {
  const wanted = new Set();
  for (const line of lines) {
    for (let near = line - 3; near <= line + 2; ++near) if (near >= 1 && near <= count) wanted.add(near);
  }
  return [...wanted];
}

function linesOfOther(run, profile, file, kernel) {
  const theirs = run.data.profile;
  const index = file < 0 ? -1 : sameFile(theirs, profile.files[file].path);
  if (file >= 0 && index < 0) return new Map();
  return byLine(theirs.kernels.filter((one) => kernel === '*' || one.name === kernel), index);
}
