// SPDX-License-Identifier: Apache-2.0
// A headless Chromium with one page, which records violations: network requests and console messages.
import {existsSync, mkdtempSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

/** Path of the browser; undefined when none is installed. */
export function findChromium() {
  const places = [process.env.HEDDLE_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return places.find((place) => place && existsSync(place));
}

/** Launches it. packages: folder that holds node_modules with puppeteer-core. */
export async function launch(packages) {
  const {default: puppeteer} = await import(pathToFileURL(createRequire(join(packages, 'package.json')).resolve('puppeteer-core')));
  return puppeteer.launch({
    executablePath: findChromium(), headless: true, userDataDir: mkdtempSync(join(tmpdir(), 'heddle-chromium-')),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--js-flags=--expose-gc', '--enable-precise-memory-info', '--disable-background-networking'],
  });
}

/** Opens a file; `problems` of the result gathers console errors, exceptions and requests to anything but the file itself. */
export async function open(browser, file, {width = 1366, height = 768, scale = 1, dark = false} = {}) {
  const page = await browser.newPage();
  const problems = [];
  const url = pathToFileURL(file).href;
  await page.setViewport({width, height, deviceScaleFactor: scale});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]);
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const asked = request.url();
    if (asked.split('#')[0] !== url && !asked.startsWith('data:') && !asked.startsWith('blob:')) problems.push(`request: ${asked}`);
  });
  await page.goto(url, {waitUntil: 'load', timeout: 240000});
  await page.waitForSelector('html[data-ready]', {timeout: 240000});
  return {page, problems, url};
}

/** Scrolls to what a selector names and waits until its charts are drawn. */
export async function show(page, selector) {
  await page.$eval(selector, (element) => element.scrollIntoView({block: 'start', behavior: 'instant'}));
  await page.waitForFunction((wanted) => [...document.querySelectorAll(`${wanted} .canvas`)].every((canvas) => canvas.hidden || canvas.getBoundingClientRect().top > window.innerHeight + 200 || canvas.chart), {}, selector);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
