// SPDX-License-Identifier: Apache-2.0
// Takes the screenshots of the report for docs/pictures: breadth-first search on two machines, in a laptop-sized window.
// usage: node tools/report_screenshots.mjs [BUILD]    (a complete build tree; default: build/release)
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {launch, open, show} from '../tests/program/report/browser.mjs';
import {record} from '../tests/program/report/runs.mjs';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const build = resolve(process.argv[2] ?? join(source, 'build/release'));
const tools = {heddle: join(build, 'bin/heddle'), workloads: join(build, 'workloads')};
const pictures = join(source, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'heddle-report-'));
mkdirSync(pictures, {recursive: true});

const file = join(folder, 'report.html');
const runs = ['gtx480', 'barrel-core'].map((machine) => relative(folder, record(tools, machine, 'bfs', folder)));
execFileSync(tools.heddle, ['report', ...runs, '-o', file], {cwd: folder});
const browser = await launch(join(build, 'npm/tests/program/report'));
/** Scrolls to a part, lets `act` interact with it, and takes a screenshot. */
async function picture(name, part, {dark = false, act = async () => {}} = {}) {
  const {page, problems} = await open(browser, file, {dark});
  if (await page.$(`${part} .absent`) && !(await page.$(`${part} .canvas, ${part} table`))) {
    console.log(`report-${name}.png was not taken: the runs have no data for ${part}`);
    return page.close();
  }
  await show(page, part);
  await act(page);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const path = join(pictures, `report-${name}.png`);
  await page.screenshot({path});
  console.log(`${path}: ${Math.round(statSync(path).size / 1000)} kB`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  await page.close();
}
const hover = (selector, x, y) => async (page) => {
  const box = await (await page.$(selector)).boundingBox();
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await new Promise((done) => setTimeout(done, 300));
};

await picture('overview', '#overview');
await picture('cycles', '#slots', {act: hover('#slots .canvas', 0.55, 0.6)});
await picture('time', '#series', {act: hover('#series .canvas', 0.5, 0.5)});
await picture('heat', '#heat');
await picture('timelines', '#timelines', {act: hover('#timelines .canvas', 0.62, 0.58)});
await picture('kernels', '#memory');
await picture('source', '#source', {act: async (page) => {
  // The path of the build tree is irrelevant to readers.
  await page.$eval('#source .tools .quiet', (path) => { path.textContent = path.textContent.replace(/.*\//, ''); });
  await page.evaluate(() => [...document.querySelectorAll('#source tr.hot .open')].at(-1).click());
  await page.hover('#source tr.hot .by-cause');
}});
await picture('configuration', '#configuration');
await picture('dark', '#slots', {dark: true});
await browser.close();
rmSync(folder, {recursive: true, force: true});
