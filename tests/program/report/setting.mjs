// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the page: the build under test, runs, pages, and one browser per file.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import nodeTest, {after} from 'node:test';
import {launch, open} from './browser.mjs';

const {HEDDLE_BUILD: build, HEDDLE_TEST_PACKAGES: packages, HEDDLE_SAMPLE: commit} = process.env;
export const tools = {heddle: join(build, 'bin/heddle'), workloads: join(build, 'workloads')};
export const folder = mkdtempSync(join(tmpdir(), 'heddle-report-'));

const browser = await launch(packages);
after(async () => {
  await browser.close();
  rmSync(folder, {recursive: true, force: true});
});

/** A test. In a sample, half of them run, a different half for each commit. */
export function test(name, body) {
  const runs = commit === undefined || createHash('sha1').update(`${commit} ${name}`).digest()[0] % 2 === 0;
  nodeTest(name, {skip: runs ? false : 'other commits run it'}, body);
}

/** Writes the page of some run.json files; its path. */
export function report(name, files) {
  const page = join(folder, `${name}.html`);
  execFileSync(tools.heddle, ['report', ...files, '-o', page], {stdio: ['ignore', 'ignore', 'inherit']});
  return page;
}

/** Writes a run as a file; its path. */
export function save(name, run) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(run));
  return file;
}

/** Opens a page, hands it to `use`, and fails when the page complained or asked a network. */
export async function withPage(file, use, options) {
  const opened = await open(browser, file, options);
  try {
    await use(opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.page.close();
  }
}

export const textOf = (page, selector) => page.$eval(selector, (element) => element.innerText);
/** Texts of the cells of a column (from 0) of the first table that a selector names. */
export const column = (page, selector, index) => page.$$eval(`${selector} tbody tr`, (rows, i) => rows.map((row) => row.children[i].innerText.trim()), index);
/** Cycles that every drawn chart over time shows. */
export const zooms = (page) => page.$$eval('#series .canvas, #timelines .canvas', (all) => all.filter((canvas) => canvas.chart).map((canvas) => {
  const {startValue, endValue} = canvas.chart.getOption().dataZoom[0];
  return [Math.round(startValue), Math.round(endValue)];
}));
/** Titles of the charts below a selector, and which share of its pixels is drawn on. */
export const drawn = (page, selector) => page.$$eval(`${selector} figure`, (all) => all.map((figure) => {
  let count = 0, area = 1;
  for (const canvas of figure.querySelectorAll('canvas')) {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) ++count;
    area = pixels.length / 4;
  }
  return [figure.querySelector('h3').innerText, count / area];
}));
