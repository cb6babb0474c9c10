// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the report page for docs/pictures, from the runs of `./heddle demo`. tools/pictures.py calls it.
// usage: node tools/report_screenshots.mjs BUILD DEMO PICTURES    (a build tree; the folder of the demo; where to write)
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {launch, open, show} from '../tests/program/report/browser.mjs';

const [build, demo, pictures] = process.argv.slice(2).map((path) => resolve(path));
const source = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'heddle-report-'));

/** A report on two runs of the demo, named as there. */
function report(...runs) {
  const file = join(folder, `${runs[0]}.html`);
  execFileSync(join(build, 'bin/heddle'), ['report', ...runs, ...runs.flatMap((run) => ['--label', run]), '-o', file], {cwd: demo});
  return file;
}
const caches = report('L1-16KB', 'L1-48KB');
const warps = report('stack', 'large-warps');

const browser = await launch(join(build, 'npm/tests/program/report'));
// The width of a page on the forge, in which text keeps its size; tables and pairs of charts need a little more.
const kWidth = 900, kPairs = 1000, kTable = 1060, kMargin = 4;

/** A picture of the part of a page from the first to the last of some elements. act: what a reader does before. */
async function picture(name, file, elements, {width = kWidth, dark = false, act = async () => {}} = {}) {
  // High enough for every picture, so that nothing scrolls once the first element is at the top.
  const {page, problems} = await open(browser, file, {width, height: 2000, scale: 2, dark});
  await show(page, elements[0]);
  await page.evaluate((rows) => {
    // What differs between computers or from run to run: paths, digests of files that hold paths, and the time that the run took.
    for (const path of document.querySelectorAll('#source .tools .quiet')) path.textContent = path.textContent.replace(/.*\//, '');
    for (const row of document.querySelectorAll('#overview tr')) if (rows.includes(row.cells[0].innerText)) row.remove();
  }, ['Wall time', 'Program SHA-256', 'PTX SHA-256']);
  await act(page);
  await page.waitForFunction((parts) => parts.every((part) => [...document.querySelectorAll(`${part} .canvas`)].every((canvas) => canvas.chart)), {}, elements);
  await new Promise((done) => setTimeout(done, 500));
  const boxes = [], scrolled = await page.evaluate(() => window.scrollY);
  for (const element of elements) {
    const found = await page.$(element);
    if (!found) throw new Error(`${name}: the page has no ${element}`);
    boxes.push(await found.boundingBox());
  }
  const left = Math.max(0, Math.min(...boxes.map(({x}) => x)) - kMargin), top = Math.min(...boxes.map(({y}) => y)) - kMargin;
  const right = Math.max(...boxes.map(({x, width: one}) => x + one)) + kMargin, bottom = Math.max(...boxes.map(({y, height}) => y + height)) + kMargin;
  const path = join(pictures, `report-${name}.png`);
  await page.screenshot({path, clip: {x: left, y: top + scrolled, width: Math.min(width, right) - left, height: bottom - top}});
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(path);
  await page.close();
}

/** Bars as long as the runs. */
const inCycles = (page) => page.evaluate(() => {
  for (const button of document.querySelectorAll('#slots .segmented button, #lanes .segmented button')) if (button.innerText === 'Cycles') button.click();
});

await picture('cycles', warps, ['#slots', '#lanes'], {act: inCycles});
await picture('overview', caches, ['header', '#overview', '#speed']);
await picture('time', caches, ['#series'], {width: kPairs});
await picture('heat', caches, ['#heat']);
await picture('timelines', warps, ['#timelines h2', '#timelines figure:nth-of-type(3)']);
await picture('kernels', caches, ['#memory', '#kernels'], {width: kTable});
await picture('source', caches, ['#source'], {width: kTable, act: async (page) => {
  await page.evaluate(() => [...document.querySelectorAll('#source tr.hot .open')].at(-1).click());
}});
await picture('configuration', warps, ['#configuration'], {width: kTable});
await picture('dark', warps, ['#slots', '#lanes'], {dark: true});
await browser.close();
rmSync(folder, {recursive: true, force: true});
