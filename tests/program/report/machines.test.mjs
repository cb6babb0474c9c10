// SPDX-License-Identifier: Apache-2.0
// Other kinds of machines, and runs with few recordings: each part shows the available data and names what is missing.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {show} from './browser.mjs';
import {record} from './runs.mjs';
import {column, drawn, folder, report, save, test, textOf, tools, withPage} from './setting.mjs';

/** Walks through the page; the notes of each part that has some. */
async function walk(page) {
  const notes = {};
  for (const id of await page.$$eval('section', (all) => all.map((one) => one.id))) {
    await show(page, `#${id}`);
    for (const [title, share] of await drawn(page, `#${id}`)) assert.ok(share > 0.01, `${title} of ${id} is empty`);
    const said = await page.$$eval(`#${id} .absent`, (all) => all.map((one) => one.innerText));
    if (said.length > 0) notes[id] = said.join(' ');
  }
  return notes;
}

test('a run without recordings shows how to record', async () => {
  const run = JSON.parse(readFileSync(record(tools, 'small', 'bfs', folder), 'utf8'));
  for (const name of ['time_series', 'spans', 'profile', 'locality']) delete run[name];
  await withPage(report('plain', [save('plain', run)]), async (page) => {
    const notes = await walk(page);
    assert.deepEqual(Object.keys(notes), ['series', 'heat', 'timelines', 'locality', 'source']);
    for (const note of Object.values(notes)) assert.match(note, /Record it with heddle run --inspect/);
    assert.equal((await page.$$('#series .canvas, #timelines .canvas, #locality table, #source table')).length, 0);
    assert.equal((await page.$$('header select')).length, 0, 'one run needs no baseline');
  });
});

test('machines without L2, DRAM banks or buffers', () => withPage(
  report('kinds', ['interweaving-sm', 'large-warp-core', 'tesla-16x8', 'vws-ws32'].map((machine) => record(tools, machine, 'bfs', folder))), async (page) => {
    const notes = await walk(page);
    assert.match(notes.heat, /interweaving-sm.*has no banks/);
    assert.match(notes.series, /L2 misses \(.*interweaving-sm/);
    const heads = await page.$$eval('#lanes .legend li', (all) => all.map((one) => one.innerText));
    assert.ok(heads.includes('W0_idle') && heads.length > 3);
    // The causes of each machine add up to 100 %.
    await show(page, '#slots');
    await page.click('#slots .as-table-toggle');
    const sums = await page.$$eval('#slots tbody tr', (rows) => rows.map((row) => Number(row.lastElementChild.innerText)));
    assert.equal(sums.length, 4);
    for (const sum of sums) assert.ok(Math.abs(sum - 100) < 0.01, String(sum));
  }));

test('gangs over time: sizes, lanes and fetches, of all SMs', async () => {
  const run = JSON.parse(readFileSync(record(tools, 'vws-i', 'bfs', folder), 'utf8'));
  await withPage(report('gangs', [save('gangs', run)]), async (page) => {
    await show(page, '#series');
    for (const [title, counters] of [['Warps by size of gang', /ganging\.warps_in_\d$/], ['Busy lanes by source', /gang_issue\.\w+_threads$/], ['Fetches by front end', /gang_fetch\.(gangs|slices)$/]]) {
      const figure = await page.evaluateHandle((text) => [...document.querySelectorAll('#series figure')].find((one) => one.querySelector('h3').innerText.startsWith(text)), title);
      await (await figure.$('.as-table-toggle')).click();
      const shown = await figure.$$eval('tbody tr', (all) => all.map((row) => [...row.children].map((cell) => Number(cell.innerText.replaceAll(',', '')))));
      const {columns, rows, every} = run.time_series;
      const own = columns.map((name, i) => (counters.test(name) ? i : -1)).filter((i) => i >= 0);
      const recorded = rows.reduce((sum, row) => sum + own.reduce((all, i) => all + row[i], 0), 0);
      // More rows than are drawn are joined, each of the same cycles but the last.
      const step = Math.ceil(rows.length / 400);
      const drawnSum = shown.reduce((sum, row, i) => sum + row.slice(1).reduce((a, b) => a + b, 0) * every * Math.min(step, rows.length - i * step), 0);
      assert.ok(recorded > 0 && Math.abs(drawnSum / recorded - 1) < 0.02, `${title}: ${drawnSum} instead of ${recorded}`);
    }
  });
});

test('a machine whose memory has no banks, alone', () => withPage(report('no_banks', [record(tools, 'interweaving-sm', 'bfs', folder)]), async (page) => {
  const notes = await walk(page);
  assert.match(notes.heat, /has no banks/);
  assert.equal((await page.$$('#heat .canvas')).length, 2);
}));

test('SMs of several classes are summed for one machine', async () => {
  const machine = {name: 'two-sizes', extends: 'large-warp-core', memory: {has_crossbar: true}};
  const core = JSON.parse(execFileSync(tools.heddle, ['config', '--machine', 'large-warp-core'])).gpu.sm_classes[0];
  const many = structuredClone(core);
  many.name = 'many';
  many.count = 2;
  many.sm.warp_size = 64;
  machine.gpu = {sm_classes: [{...core, name: 'few'}, many]};
  const file = record(tools, save('two-sizes', machine), 'bfs', folder);
  const {classes} = JSON.parse(readFileSync(file, 'utf8')).statistics;
  await withPage(report('classes', [file]), async (page) => {
    await walk(page);
    assert.ok((await column(page, '#overview', 1)).includes('3 SMs'));
    await show(page, '#slots');
    await page.click('#slots .segmented button:nth-child(3)');
    await page.click('#slots .as-table-toggle');
    const sum = await page.$eval('#slots tbody tr td:last-child', (cell) => Number(cell.innerText.replaceAll(',', '')));
    assert.equal(sum, classes.few['issue.slots.cycles'] + classes.many['issue.slots.cycles']);
  });
});

test('a stopped run is marked', async () => {
  const run = JSON.parse(readFileSync(record(tools, 'small', 'bfs', folder), 'utf8'));
  run.complete = false;
  run.why_incomplete = '--max-cycles reached';
  await withPage(report('stopped', [save('stopped', run)]), async (page) => {
    assert.match(await textOf(page, '#overview .warning'), /stopped before the end \(--max-cycles reached\)/);
    assert.ok((await column(page, '#overview', 1)).includes('no: --max-cycles reached'));
  });
});

test('a trace replayed on the memory side has no SM', async () => {
  const trace = save('trace', 0).replace('.json', '.csv');
  execFileSync('sh', ['-c', `printf 'cycle,kind,address,bytes\\n100,read,0x100000,128\\n200,read,0x200000,128\\n' > '${trace}'`]);
  execFileSync(tools.heddle, ['memtrace', '--machine', 'gtx480', '--enter', 'controller', '-q', '-o', `${folder}/trace`, trace]);
  await withPage(report('trace', [`${folder}/trace`]), async (page) => {
    const notes = await walk(page);
    assert.match(notes.slots, /has no SM/);
    assert.match(notes.kernels, /No kernel was launched/);
  });
});
