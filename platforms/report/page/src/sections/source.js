// SPDX-License-Identifier: Apache-2.0
// The source, line by line, with what the machine did there; a line opens to its PTX instructions.
import {causeColour, causeOrder, runColour} from '../colours.js';
import {choice, h, tick} from '../dom.js';
import {baseName, number, percent, plainName, withUnit} from '../format.js';
import {byLine, lanesAPacket, sameFile, sumOf, total} from '../profile.js';
import {createTable, runChoice} from '../table.js';
import {absent, section} from './section.js';

/** A bar of the causes of stalls, as wide as the share of the worst line. */
function stallBar(stalls, worst, sentences) {
  const all = total(stalls);
  if (all === 0) return '';
  const bar = h('span', {class: 'stalls', style: `width:${Math.max(2, (100 * all) / worst)}%`});
  for (const name of causeOrder(Object.keys(stalls))) {
    if (stalls[name] > 0) bar.append(h('i', {style: `flex:${stalls[name]};background:${causeColour(name)}`}));
  }
  return bar;
}
const stallTip = (stalls, sentences) => [
  `${number(total(stalls))} context-cycles`, 'Cycles that contexts waited while this was their next instruction, by cause:',
  ...Object.entries(stalls).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1])
    .map(([name, value]) => `${name} ${number(value)} (${percent(value / total(stalls))}): ${sentences.get(name) ?? ''}`),
].join('\n');

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
    const declared = Object.assign({}, ...profile.kernels.map((one) => one.sentences ?? {}));
    const lines = byLine(kernels, file);
    const text = profile.files[file]?.lines ?? [];
    const numbers = text.length > 0 && all ? text.map((_, i) => i + 1) : withSurroundings([...lines.keys()], text.length);
    const rows = [...new Set([...numbers, ...lines.keys()])].sort((a, b) => a - b).map((number) => ({number, text: text[number - 1] ?? '', ...(lines.get(number) ?? {counts: {}, stalls: {}, instructions: []})}));
    const worst = Math.max(1, ...rows.map(({stalls}) => total(stalls)));
    const sum = sumOf(kernels.flatMap((one) => one.instructions));
    const allStalls = total(sum.stalls);
    const others = having.filter((one) => one !== run).slice(0, 4).map((one) => ({one, lines: linesOfOther(one, profile, file, kernel)}));
    const count = (name) => ({counts}) => counts[name];
    const shownCounts = new Set(['issues', 'packets', 'active_lanes', 'transactions', 'l1_hits', 'l1_misses', 'l1_merges']);
    const more = Object.keys(sum.counts).filter((name) => !shownCounts.has(name) && sum.counts[name] > 0);
    const declaredColumn = (name, label, unit, sentence) => ({label, unit: declared[name]?.unit || unit, sentence: declared[name]?.sentence ?? sentence, numeric: true, value: count(name), show: (row) => (row.counts[name] === undefined ? '' : number(row.counts[name]))});
    const columns = [
      {label: 'Line', sentence: 'Line of the source; of an instruction its line in the PTX.', value: (row) => row.number ?? row.ptx_line, show: (row, detail) => String(detail ? row.ptx_line ?? '' : row.number || '')},
      {label: file < 0 ? 'Instruction' : 'Source', value: (row) => row.text, show: (row, detail) => h('code', {class: detail ? 'ptx' : 'cuda', text: row.text || (row.number === 0 ? 'instructions without a line' : '')}), tip: (row) => (row.kernel ? `${row.text}\n${plainName(row.kernel)}, PTX line ${row.ptx_line}, program counter ${row.pc}` : '')},
      declaredColumn('issues', 'Issues', 'instructions', 'Instructions issued.'),
      {label: 'Lanes', unit: 'a packet', sentence: 'Active lanes of a packet, on average.', numeric: true, value: lanesAPacket, show: (row) => (Number.isNaN(lanesAPacket(row)) ? '' : number(Number(lanesAPacket(row).toFixed(1))))},
      {label: 'Stalls', unit: 'context-cycles', sentence: 'Cycles that contexts waited while this was their next instruction.', numeric: true, value: ({stalls}) => total(stalls) || undefined, show: ({stalls}) => (total(stalls) ? number(total(stalls)) : ''), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
      ...others.map(({one, lines: theirs}) => ({
        label: one.label, unit: 'context-cycles', colour: runColour(one.index), numeric: true, sentence: `Cycles that contexts waited at this line on ${one.label}.`,
        value: (row) => (row.number === undefined ? undefined : total(theirs.get(row.number)?.stalls ?? {}) || undefined),
        show: (row) => (row.number !== undefined && theirs.has(row.number) ? number(total(theirs.get(row.number).stalls)) : ''),
      })),
      {label: 'Share', unit: '%', sentence: 'Of all stall cycles of the kernels that are shown.', numeric: true, value: ({stalls}) => (allStalls ? (100 * total(stalls)) / allStalls : undefined), show: ({stalls}) => (total(stalls) ? percent(total(stalls) / allStalls).replace(' %', '') : '')},
      {label: 'By cause', sentence: 'Stall cycles by cause; the widest bar is the worst line.', class: () => 'by-cause', value: ({stalls}) => Object.entries(stalls).filter(([, value]) => value).map(([name, value]) => `${name} ${value}`).join('; '), show: ({stalls}) => stallBar(stalls, worst, sentences), tip: ({stalls}) => (total(stalls) ? stallTip(stalls, sentences) : '')},
      declaredColumn('transactions', 'Sent', 'transactions', 'Transactions sent to the caches.'),
      declaredColumn('l1_hits', 'L1 hits', 'lines', 'Lines read that were present in the first-level cache.'),
      declaredColumn('l1_misses', 'misses', 'lines', 'Lines read that were absent and requested from below.'),
      declaredColumn('l1_merges', 'merges', 'lines', 'Lines read that were absent and already on their way.'),
      ...more.map((name) => declaredColumn(name, name.replaceAll('_', ' '), '', '')),
    ];
    const table = createTable(columns, rows, {
      file: `source_${baseName(profile.files[file]?.path ?? 'ptx')}`, caption: 'Annotated source', class: 'source', limit: 600,
      detail: (row) => (row.instructions?.length > 0 ? row.instructions.map((one) => ({counts: {}, stalls: {}, ...one})) : null),
      detailLabel: (row) => `PTX instructions of line ${row.number}`,
      className: ({stalls}, detail) => (!detail && total(stalls) > 0.1 * allStalls ? 'hot' : ''),
    });
    const seen = causeOrder(Object.keys(sum.stalls).filter((name) => sum.stalls[name] > 0));
    place.replaceChildren(
      h('ul', {class: 'legend'}, seen.map((name) => h('li', {tabindex: '0', 'data-tip': `${name}: ${withUnit(sum.stalls[name], 'context-cycles')}\n${sentences.get(name) ?? ''}`}, h('i', {class: 'swatch', style: `background:${causeColour(name)}`}), `${name} ${percent(sum.stalls[name] / allStalls)}`))),
      text.length === 0 && file >= 0 ? absent(`${profile.files[file].path} could not be read when the program ran; lines are shown without text.`) : '',
      table.element);
  }
  function fillTools() {
    const {profile} = run.data;
    const files = profile.files.map((one, i) => [String(i), baseName(one.path)]).filter(([i]) => profile.kernels.some((one) => one.instructions.some((instruction) => instruction.file === Number(i))));
    const loose = profile.kernels.some((one) => one.instructions.some((instruction) => instruction.file < 0));
    tools.replaceChildren(...[
      runChoice('Run', having, run.index, (index) => { run = runs[index]; kernel = '*'; file = busiestFile(run); fillTools(); fill(); }),
      choice('Kernel', [['*', 'all'], ...profile.kernels.map((one) => [one.name, plainName(one.name)])], kernel, (name) => { kernel = name; fill(); }),
      choice('File', [...files, ...(loose ? [['-1', 'PTX without lines']] : [])], String(file), (index) => { file = Number(index); fill(); }),
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
