// SPDX-License-Identifier: Apache-2.0
// The source, line by line, with statistics; a line expands to its PTX instructions.
import {causeColour, causeOrder} from '../colours.js';
import {choice, h, tick} from '../dom.js';
import {baseName, percent, plainName, withUnit} from '../format.js';
import {byLine, sameFile, sumOf, total} from '../profile.js';
import {createTable, runChoice} from '../table.js';
import {absent, section} from './section.js';
import {sourceColumns} from './source_columns.js';

export function source(runs) {
  const having = runs.filter((run) => run.data.profile?.kernels?.length > 0);
  const how = 'heddle run --inspect -o FOLDER PROGRAM';
  if (having.length === 0) return section('source', 'Annotated source', undefined, absent('No run recorded an instruction profile.', how));
  let run = having[0], kernel = '*', file = busiestFile(run), all = false;
  const place = h('div'), tools = h('div', {class: 'tools'}), path = h('span', {class: 'quiet'});

  function fill() {
    const {profile} = run.data;
    const kernels = profile.kernels.filter((one) => kernel === '*' || one.name === kernel);
    const sentences = new Map((profile.causes ?? []).map((cause) => [cause.name, cause.sentence]));
    const lines = byLine(kernels, file);
    const text = profile.files[file]?.lines ?? [];
    const numbers = text.length > 0 && all ? text.map((_, i) => i + 1) : withSurroundings([...lines.keys()], text.length);
    const rows = [...new Set([...numbers, ...lines.keys()])].sort((a, b) => a - b).map((number) => ({number, text: text[number - 1] ?? '', ...(lines.get(number) ?? {counts: {}, stalls: {}, instructions: []})}));
    const worst = Math.max(1, ...rows.map(({stalls}) => total(stalls)));
    const sum = sumOf(kernels.flatMap((one) => one.instructions));
    const allStalls = total(sum.stalls);
    const others = having.filter((one) => one !== run).slice(0, 4).map((one) => ({one, lines: linesOfOther(one, profile, file, kernel)}));
    const columns = sourceColumns({profile, onlyPtx: file < 0, sum, worst, others});
    const table = createTable(columns, rows, {
      file: `source_${baseName(profile.files[file]?.path ?? 'ptx')}`, caption: 'Annotated source', class: 'source', limit: 600,
      detail: (row) => (row.instructions?.length > 0 ? row.instructions.map((one) => ({counts: {}, stalls: {}, ...one})) : null),
      detailLabel: (row) => `PTX instructions of line ${row.number}`,
      className: ({stalls}, detail) => (!detail && total(stalls) > 0.1 * allStalls ? 'hot' : ''),
    });
    path.textContent = profile.files[file]?.path ?? '';
    const seen = causeOrder(Object.keys(sum.stalls).filter((name) => sum.stalls[name] > 0));
    place.replaceChildren(
      h('ul', {class: 'legend'}, seen.map((name) => h('li', {tabindex: '0', 'data-tip': `${name}: ${withUnit(sum.stalls[name], 'cycles')}\n${sentences.get(name) ?? ''}`}, h('i', {class: 'swatch', style: `background:${causeColour(name)}`}), `${name} ${percent(sum.stalls[name] / allStalls)}`))),
      text.length === 0 && file >= 0 ? absent(`${profile.files[file].path} could not be read during the run; lines are shown without text.`) : '',
      table.element);
  }
  function fillTools() {
    const {profile} = run.data;
    const instructions = profile.kernels.flatMap((one) => one.instructions);
    const waited = total(sumOf(instructions).stalls);
    // With each file's share of the stalls, so that none is overlooked.
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
      path,
    ].filter(Boolean));
  }
  fillTools();
  fill();
  const missing = runs.filter((one) => !having.includes(one));
  return section('source', 'Annotated source', 'Cost of each line. The arrow before a line, or Enter, shows its PTX instructions.', missing.length > 0 && absent(`${missing.map((one) => one.label).join(', ')}: no instruction profile.`, how), tools, place);
}

/** Index of the file with the most issues. */
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
