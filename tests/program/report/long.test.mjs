// SPDX-License-Identifier: Apache-2.0
// Two runs of 10^5 samples (in a sample of the tests 10^4) and as many warps: the page opens, draws and zooms within the time
// and memory limits of a laptop.
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import test from 'node:test';
import {show} from './browser.mjs';
import {lengthened, record} from './runs.mjs';
import {drawn, folder, report, save, tools, withPage, zooms} from './setting.mjs';

const kRows = process.env.HEDDLE_SAMPLE === undefined ? 100000 : 10000;
const kZoomed = 20 * kRows;

test('long series of samples', async (context) => {
  const run = JSON.parse(readFileSync(record(tools, 'small', 'bfs', folder), 'utf8'));
  const files = [1, 2].map((seed) => save(`long${seed}`, lengthened(run, kRows, seed)));
  const began = performance.now();
  const file = report('long', files);
  const written = performance.now();
  await withPage(file, async (page) => {
    const opened = performance.now();
    for (const id of ['speed', 'slots', 'series', 'heat', 'timelines']) await show(page, `#${id}`);
    const shown = performance.now();
    for (const id of ['series', 'heat', 'timelines']) {
      for (const [title, share] of await drawn(page, `#${id}`)) assert.ok(share > 0.01, `${title} is empty`);
    }
    await show(page, '#series');
    const zoomed = await page.evaluate(async (end) => {
      const start = performance.now();
      const field = document.querySelectorAll('.cycle')[1];
      field.value = end;
      field.dispatchEvent(new Event('change'));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - start;
    }, kZoomed);
    for (const zoom of await zooms(page)) assert.deepEqual(zoom, [0, kZoomed]);
    const heap = await page.evaluate(() => { window.gc(); return performance.memory.usedJSHeapSize; });
    const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
    context.diagnostic(`run.json ${megabytes(statSync(files[0]).size)} MB each, page ${megabytes(statSync(file).size)} MB; written in ${(written - began).toFixed(0)} ms, ` +
      `opened in ${(opened - written).toFixed(0)} ms, all charts over time drawn in ${(shown - opened).toFixed(0)} ms, zoomed in ${zoomed.toFixed(0)} ms, heap ${megabytes(heap)} MB`);
    assert.ok(opened - written < 10000, 'opens within ten seconds, also on a loaded machine');
    assert.ok(zoomed < 3000, 'zooms within three seconds');
    assert.ok(heap < 400e6, `${megabytes(heap)} MB`);
  });
});
