// SPDX-License-Identifier: Apache-2.0
// The page of breadth-first search on two machines, as a reader uses it.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, readdirSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {show} from './browser.mjs';
import {record} from './runs.mjs';
import {column, drawn, folder, report, save, test, textOf, tools, withPage, zooms} from './setting.mjs';

const files = ['small', 'gtx480'].map((machine) => record(tools, machine, 'bfs', folder));
const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const two = report('two', files);
const kSections = ['overview', 'speed', 'slots', 'lanes', 'series', 'heat', 'timelines', 'memory', 'locality', 'kernels', 'source', 'configuration', 'statistics'];

test('every part is drawn without network requests', () => withPage(two, async (page) => {
  assert.deepEqual(await page.$$eval('section', (all) => all.map((one) => one.id)), kSections);
  for (const id of kSections) {
    await show(page, `#${id}`);
    for (const [title, share] of await drawn(page, `#${id}`)) assert.ok(share > 0.02, `${title} of ${id} is empty`);
    assert.equal(await page.$$eval(`#${id} .absent`, (all) => all.length), 0, id);
  }
  const charts = await page.$$eval('section', (all) => Object.fromEntries(all.map((one) => [one.id, one.querySelectorAll('.canvas').length])));
  assert.deepEqual(charts, {overview: 0, speed: 4, slots: 1, lanes: 1, series: 7, heat: 3, timelines: 4, memory: 1, locality: 1, kernels: 0, source: 0, configuration: 0, statistics: 0});
  assert.equal(await page.$eval('html', (html) => html.scrollWidth > html.clientWidth), false, 'the page is wider than a laptop');
}));

test('the overview shows program, machine and digests', () => withPage(two, async (page) => {
  const facts = await column(page, '#overview', 1);
  assert.equal(facts[0], 'bfs --size small');
  assert.ok(facts.includes('small') && facts.includes('2 SMs'));
  assert.ok(facts.includes(`${runs[0].run.cycles.toLocaleString('en-US')} cycles`));
  assert.ok(facts.includes(`${runs[0].identity.program_sha256.slice(0, 12)}…`));
  assert.equal(await page.title(), 'Heddle: small | gtx480');
}));

test('causes add up to slots x cycles and equal those of the run', () => withPage(two, async (page) => {
  await show(page, '#slots');
  await page.click('#slots .segmented button:nth-child(3)');
  await page.click('#slots .as-table-toggle');
  const slots = (run) => Object.entries(run.statistics.classes.sm).filter(([name]) => /^issue\.slots\.(?!cycles)/.test(name));
  const heads = await page.$$eval('#slots thead .sort', (all) => all.map((one) => one.firstChild.textContent));
  const cells = await page.$$eval('#slots tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText)));
  runs.forEach((run, i) => {
    const numbers = cells[i].slice(1).map((text) => Number(text.replaceAll(',', '')));
    const sum = numbers.pop();
    assert.equal(sum, 2 * run.statistics.classes.sm['issue.slots.cycles'], 'two slots per cycle');
    assert.equal(sum, numbers.reduce((a, b) => a + b));
    const memory = heads.findIndex((text) => text.startsWith('memory'));
    assert.equal(numbers[memory - 1], Object.fromEntries(slots(run))['issue.slots.memory']);
  });
}));

test('a single launch can be selected', () => withPage(two, async (page) => {
  await show(page, '#slots');
  await page.select('#slots select', 'launch:2');
  await page.click('#slots .segmented button:nth-child(2)');
  await page.click('#slots .as-table-toggle');
  const sum = await page.$eval('#slots tbody tr:first-child td:last-child', (cell) => Number(cell.innerText.replaceAll(',', '')));
  assert.ok(Math.abs(sum - runs[0].kernels[1].cycles) < 1, `${sum} cycles of ${runs[0].kernels[1].cycles}`);
  await page.click('#slots .segmented button:nth-child(3)');
  const issued = await page.$eval('#slots tbody tr:first-child td:nth-child(2)', (cell) => Number(cell.innerText.replaceAll(',', '')));
  assert.equal(issued, runs[0].kernels[1].statistics.classes.sm['issue.slots.issued']);
}));

test('hovering over a number shows its unit and description', () => withPage(two, async (page) => {
  await show(page, '#statistics');
  await page.type('#statistics input[type=search]', 'network.request.flits');
  await page.hover('#statistics tbody tr:first-child td:nth-child(3)');
  assert.match(await textOf(page, '#tip'), /^[\d,]+ flits\n.*flits moved; at most one per port and cycle/);
  await page.keyboard.press('Escape');
  assert.equal(await page.$eval('#tip', (tip) => tip.hidden), true);
  // A chart: the bar of the first run.
  await show(page, '#slots');
  const box = await (await page.$('#slots canvas')).boundingBox();
  await page.mouse.move(box.x + 220, box.y + 18);
  const tip = await (await page.waitForFunction(() => [...document.querySelectorAll('.chart-tip')].map((one) => one.innerText).find((text) => text))).jsonValue();
  assert.match(tip, /small: memory\n[\d.]+ % of the issue slots: [\d,]+ slots of [\d,]+ slots/);
  assert.match(tip, /the next instructions waited for data from memory/);
}));

test('a tooltip stays inside the window', () => withPage(two, async (page) => {
  await show(page, '#series');
  const box = await (await page.$('#series canvas')).boundingBox();
  for (const share of [0.15, 0.5, 0.6, 0.95]) {
    await page.mouse.move(box.x + share * box.width, box.y + 60);
    await page.waitForFunction(() => [...document.querySelectorAll('.chart-tip')].some((one) => one.innerText && one.checkVisibility()));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const places = await page.$$eval('.chart-tip', (all) => all.filter((one) => one.innerText && one.checkVisibility()).map((one) => one.getBoundingClientRect()).map(({left, right}) => [left, right]));
    for (const [left, right] of places) assert.ok(left >= 0 && right <= 700, `${left} to ${right}`);
  }
}, {width: 700}));

test('every chart explains its values, by keyboard and by pointer', () => withPage(two, async (page) => {
  const shown = () => page.$$eval('.chart-tip', (all) => all.filter((one) => one.innerText && one.checkVisibility()).map((one) => one.innerText));
  for (const id of ['speed', 'slots', 'lanes', 'series', 'heat', 'timelines', 'memory', 'locality']) {
    await show(page, `#${id}`);
    for (const figure of await page.$$(`#${id} figure`)) {
      const title = await figure.$eval('h3', (head) => head.innerText);
      const canvas = await figure.$('.canvas');
      await canvas.scrollIntoView();
      await canvas.focus();
      await page.keyboard.press('ArrowRight');
      const by_key = await shown();
      assert.equal(by_key.length, 1, `${title}: ${by_key}`);
      assert.match(by_key[0], /\d/, title);
      assert.match(by_key[0], /\w+ \w+ \w+/, title);
      await page.evaluate(() => document.activeElement.blur());
      await page.waitForFunction(() => [...document.querySelectorAll('.chart-tip')].every((one) => !one.innerText || !one.checkVisibility()), {timeout: 5000});
    }
  }
}));

test('patterns are drawn on request', () => withPage(two, async (page) => {
  await show(page, '#slots');
  const decal = () => page.$eval('#slots .canvas', ({chart}) => chart.getOption().aria[0]?.decal.show ?? chart.getOption().aria.decal.show);
  assert.equal(await decal(), false);
  await page.click('header input[type=checkbox]');
  assert.equal(await decal(), true);
}));

test('zoom is linked: drag, keys, fields and buttons move all charts over time', () => withPage(two, async (page) => {
  await show(page, '#timelines');
  await show(page, '#series');
  const all = await zooms(page);
  assert.equal(all.length, 11);
  const box = await (await page.$('#series canvas')).boundingBox();
  await page.mouse.move(box.x + 150, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 62, {steps: 4});
  await page.mouse.move(box.x + 300, box.y + 64, {steps: 4});
  await page.mouse.up();
  await page.waitForFunction((last) => Number(document.querySelectorAll('.cycle')[1].value) < last, {}, all[0][1]);
  const dragged = await zooms(page);
  for (const zoom of dragged) assert.deepEqual(zoom, dragged[0]);
  assert.ok(dragged[0][0] > 0.1 * all[0][1] && dragged[0][1] < 0.6 * all[0][1], String(dragged[0]));
  assert.equal(await page.$eval('.cycle', (field) => Number(field.value)), dragged[0][0]);

  await page.focus('#series .canvas');
  await page.keyboard.press('+');
  const closer = await zooms(page);
  assert.ok(closer[0][1] - closer[0][0] < 0.6 * (dragged[0][1] - dragged[0][0]));
  for (const zoom of closer) assert.deepEqual(zoom, closer[0]);
  await page.keyboard.press('0');
  assert.deepEqual((await zooms(page))[10], all[0]);

  await page.$eval('.cycle', (field) => { field.value = 1000; field.dispatchEvent(new Event('change')); });
  await page.$eval('.cycle:nth-of-type(2)', (field) => { field.value = 5000; field.dispatchEvent(new Event('change')); });
  for (const zoom of await zooms(page)) assert.deepEqual(zoom, [1000, 5000]);
  await page.click('.zoom button[aria-label="Later"]');
  for (const zoom of await zooms(page)) assert.deepEqual(zoom, [3000, 7000]);
  await page.mouse.click(box.x + 200, box.y + 60, {count: 2});
  for (const zoom of await zooms(page)) assert.deepEqual(zoom, all[0]);
}));

test('curves hold the recorded values', () => withPage(two, async (page) => {
  await show(page, '#series');
  await page.click('#series figure .as-table-toggle');
  const {every, columns, rows} = runs[0].time_series;
  const used = columns.map((name, i) => (/^sm\d+\.issue\.warp_instructions$/.test(name) ? i : -1)).filter((i) => i >= 0);
  const sums = rows.map((row) => used.reduce((sum, i) => sum + row[i], 0));
  const shown = (await column(page, '#series figure', 2)).map(Number);
  const most = sums.indexOf(Math.max(...sums.slice(1, 100)));
  assert.ok(sums[most] > 0 && Math.abs(shown[most] - sums[most] / every) < 1e-3, `${shown[most]} for ${sums[most]} in ${every} cycles`);
}));

test('choosing the baseline of the speed-up keeps the colours of the runs', () => withPage(two, async (page) => {
  await show(page, '#speed');
  const speedUps = () => page.$$eval('#speed .canvas', (all) => all[3].chart.getOption().series[0].data.map(({value}) => value));
  const ratio = runs[0].run.simulated_seconds / runs[1].run.simulated_seconds;
  const first = await speedUps();
  assert.equal(first[0], 1);
  assert.ok(Math.abs(first[1] - ratio) < 1e-9);
  await page.select('header select', '1');
  const second = await speedUps();
  assert.equal(second[1], 1);
  assert.ok(Math.abs(second[0] - 1 / ratio) < 1e-9);
  assert.match(await textOf(page, '#statistics thead'), /small \/ baseline/);
  await show(page, '#series');
  const colours = await page.$$eval('#speed .canvas, #series .canvas', (all) => all.map(({chart}) => {
    const {series} = chart.getOption();
    return series.length === 1 ? series[0].data.map((one) => one.itemStyle.color) : series.map((one) => one.itemStyle.color);
  }));
  for (const pair of colours) assert.deepEqual(pair, colours[0]);
  assert.notEqual(colours[0][0], colours[0][1]);
}));

test('differences of the configurations are marked', () => withPage(two, async (page) => {
  assert.deepEqual(await column(page, '#configuration', 0), ['gpu.sm_classes[0].count']);
  assert.equal(await page.$$eval('#configuration td.differs', (all) => all.length), 2);
  await page.click('#configuration input[type=checkbox]');
  assert.ok((await column(page, '#configuration', 0)).length > 30);
  assert.equal(await page.$$eval('#configuration td.differs', (all) => all.length), 2);
  await page.type('#configuration input[type=search]', 'clocks.core');
  assert.deepEqual(await column(page, '#configuration', 1), ['700,000 kHz']);
  await page.hover('#configuration tbody td');
  assert.match(await textOf(page, '#tip'), /700,000 kHz\n.*clock of the SMs/s);
}));

test('clicking a column head sorts the table', () => withPage(two, async (page) => {
  await show(page, '#kernels');
  const head = '#kernels thead th:nth-child(8)';
  const cycles = async () => (await column(page, '#kernels', 7)).map((text) => Number(text.replaceAll(',', '')));
  assert.equal(await page.$eval(head, (th) => th.ariaSort), 'none');
  await page.click(`${head} button`);
  assert.equal(await page.$eval(head, (th) => th.ariaSort), 'descending');
  const down = await cycles();
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  assert.ok(new Set(down).size > 5);
  await page.focus(`${head} button`);
  await page.keyboard.press('Enter');
  assert.equal(await page.$eval(head, (th) => th.ariaSort), 'ascending');
  assert.deepEqual(await cycles(), [...down].reverse());
}));

test('the CSV of a table is sorted and filtered as shown', () => withPage(two, async (page) => {
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  const client = await page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: downloads, eventsEnabled: true});
  const download = async (button) => {
    const done = new Promise((resolve) => client.on('Browser.downloadProgress', ({state}) => state === 'completed' && resolve()));
    await page.click(button);
    await done;
  };
  await page.type('#kernels input[type=search]', 'gtx480');
  await page.click('#kernels thead th:nth-child(8) button');
  await download('#kernels .csv');
  assert.deepEqual(readdirSync(downloads), ['kernels.csv']);
  const lines = readFileSync(join(downloads, 'kernels.csv'), 'utf8').trim().split('\r\n').map((line) => line.split(','));
  assert.equal(lines[0][7], 'Cycles [cycles]');
  assert.deepEqual(lines.slice(1).map((line) => Number(line[7])), runs[1].kernels.map(({cycles}) => cycles).sort((a, b) => b - a));
  assert.ok(lines.slice(1).every((line) => line[1] === 'gtx480' && line[2].startsWith('_Z6expand')));

  // The CSV of the source has all counts, including those not shown on the page.
  await download('#source .csv');
  const [head, ...rows] = readFileSync(join(downloads, 'source_bfs.cu.csv'), 'utf8').trim().split('\r\n');
  for (const {name, unit} of runs[0].profile.counts.slice(1)) assert.ok(name === 'transactions' || head.includes(`,${name} [${unit}]`), name);
  const merges = head.split(',').indexOf('l1_merges [requests]') - head.split(',').length;
  const wanted = runs[0].profile.kernels[0].instructions.filter(({file, line}) => file === 0 && line === 18).reduce((sum, {counts}) => sum + (counts.l1_merges ?? 0), 0);
  assert.ok(wanted > 0);
  assert.equal(Number(rows.find((row) => row.startsWith('18,')).split(',').at(merges)), wanted);
}));

test('the keyboard reaches every control, and the focused one is explained', () => withPage(two, async (page) => {
  const seen = new Map();
  for (let i = 0; i < 600; ++i) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const one = document.activeElement, style = getComputedStyle(one);
      return {
        tag: one.tagName, type: one.className || one.id, place: one.closest('section')?.id ?? one.closest('header, nav')?.tagName, end: one === document.body,
        visible: style.outlineStyle !== 'none' || one.matches('input, select'), path: [...document.querySelectorAll('*')].indexOf(one),
      };
    });
    if (at.end || seen.has(at.path)) break;
    assert.ok(at.visible, `the focus does not show on ${at.tag} ${at.type}`);
    seen.set(at.path, at);
  }
  const reached = [...seen.values()];
  for (const place of ['HEADER', 'NAV', ...kSections]) assert.ok(reached.some((one) => one.place === place), place);
  const expected = await page.$$eval('button, select, input, a[href], .canvas', (all) => all.filter((one) => one.checkVisibility() && one.tabIndex >= 0).length);
  assert.equal(reached.filter(({tag, type}) => /BUTTON|SELECT|INPUT|^A$/.test(tag) || String(type).includes('canvas')).length, expected);

  await page.focus('#kernels tbody th');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  assert.match(await textOf(page, '#tip'), /transactions\n.*Mean transactions per global or local access/);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-describedby')), 'tip');
  await page.keyboard.press('ArrowLeft');
  assert.match(await textOf(page, '#tip'), /L1 hits: Share of lines read/);

  for (const id of ['speed', 'slots', 'lanes', 'series', 'heat', 'timelines', 'memory', 'locality']) {
    await show(page, `#${id}`);
    await page.focus(`#${id} .canvas`);
    await page.keyboard.press('ArrowRight');
    const first = await page.$eval('#live', (live) => live.textContent);
    await page.keyboard.press('ArrowRight');
    const second = await page.$eval('#live', (live) => live.textContent);
    assert.ok(first.length > 10 && second.length > 10 && first !== second, `${id}: ${first} / ${second}`);
    assert.match(first, /\d/);
  }
}));

test('source lines expand to PTX, and causes have the same colours as for slots', () => withPage(two, async (page) => {
  await show(page, '#source');
  const line = await page.$eval('#source tbody .open', (button) => button.closest('tr').innerText);
  assert.match(line, /int\* distances, int distance, unsigned\* found/);
  const before = (await column(page, '#source', 0)).length;
  await page.click('#source tbody .open');
  const details = await page.$$eval('#source tr.detail', (rows) => rows.map((row) => row.children[1].innerText));
  const {instructions} = runs[0].profile.kernels[0];
  const first = instructions.filter(({file, line: number}) => file === 0 && number === instructions[0].line);
  assert.deepEqual(details, first.map(({text}) => text));
  await page.focus('#source tbody th');
  await page.click('#source tbody .open');
  assert.equal((await column(page, '#source', 0)).length, before);
  // Enter on a cell expands the line too.
  await page.focus('#source tbody tr:nth-child(4) td');
  await page.keyboard.press('Enter');
  assert.ok((await page.$$('#source tr.detail')).length > 0);

  const hot = await page.$('#source tr.hot .by-cause');
  await hot.hover();
  assert.match(await textOf(page, '#tip'), /^[\d,]+ cycles\nCycles that warps waited .* by cause:\nmemory [\d,]+ \([\d.]+ %\): it waited for data from memory/);
  await page.hover('#source tr.hot td:nth-child(3)');
  assert.match(await textOf(page, '#tip'), /^[\d,]+ instructions: times a context issued it\n[\d,]+ instructions: packets in which it issued/);
  const legend = (id) => page.$$eval(`#${id} .legend li`, (all) => Object.fromEntries(all.map((one) => [one.innerText.split(' ')[0], one.querySelector('.swatch').style.background])));
  const slots = await legend('slots'), causes = await legend('source');
  const common = Object.keys(causes).filter((name) => slots[name]);
  assert.deepEqual(common, ['memory', 'hazard', 'fetch', 'unit_busy']);
  for (const name of common) assert.equal(causes[name], slots[name], name);
  assert.equal(new Set(Object.values(causes)).size, Object.keys(causes).length);
}));

/** Characters of the terminal's column of causes, with the blanks around it. */
const kCausesWidth = 38;

/** What `heddle annotate` lists: {totals, lines: {file: {line: cells}}}; line 0 is of instructions without one. */
function annotated(file) {
  const lines = {};
  let totals, at, starts;
  for (const text of execFileSync(tools.heddle, ['annotate', file, '--source-only'], {encoding: 'utf8'}).split('\n')) {
    const head = /^kernel \S+: (\d+) instructions issued, (\d+) cycles waited/.exec(text);
    if (head) totals = head.slice(1).map(Number);
    else if (text.startsWith('/') || text === 'instructions without a source line') at = lines[text.startsWith('/') ? text.replace(/.*\//, '') : ''] = {};
    else if (text.includes('issues threads')) starts = ['issues', 'threads', 'lanes', 'stalled', 'share', 'requests', 'L1 hit'].map((name) => text.indexOf(name) + name.length);
    else if (text) {
      const cells = starts.map((end, i) => text.slice(starts[i - 1] ?? 0, end).replace('%', '').trim());
      // The line number follows the causes.
      at[Number(/^ *(\d+)/.exec(text.slice(starts[6] + kCausesWidth))?.[1] ?? 0)] = cells;
    }
  }
  return {totals, lines};
}

test('the annotated source shows the numbers of heddle annotate', () => withPage(two, async (page) => {
  await show(page, '#source');
  const head = await page.$$eval('#source thead th', (all) => all.map((one) => one.innerText.split('\n')[0]));
  const places = ['Issues', 'Threads', 'Lanes', 'Stalls', 'Share', 'Sent', 'L1 hits'].map((name) => head.indexOf(name));
  assert.ok(places.every((place) => place > 0), head.join());
  for (const [index, file] of files.entries()) {
    const {totals, lines} = annotated(file);
    await page.select('#source .tools label:nth-of-type(1) select', String(index));
    let issues = 0, stalls = 0, compared = 0;
    const choices = await page.$$eval('#source .tools label:nth-of-type(3) option', (all) => all.map((one) => [one.value, one.innerText]));
    assert.equal(choices.length, Object.keys(lines).length);
    for (const [value, label] of choices) {
      await page.select('#source .tools label:nth-of-type(3) select', value);
      const wanted = lines[value === '-1' ? '' : label.replace(/ \(.*/, '')];
      const rows = await page.$$eval('#source tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.innerText.replaceAll(',', '').trim())));
      const filled = rows.filter((row) => row[places[0]]);
      assert.equal(filled.length, Object.keys(wanted).length, label);
      for (const row of filled) {
        const shown = places.map((place) => row[place]), said = wanted[Number(row[0])];
        const [count, , , stalled, , sent] = shown;
        assert.deepEqual([count, stalled, sent], [said[0], said[3], said[5]], `line ${row[0]} of ${label}`);
        assert.equal(shown[1], said[1], `threads of line ${row[0]} of ${label}`);
        // The terminal shows whole percents.
        for (const i of [2, 4, 6]) assert.ok(shown[i] === '' ? said[i] === '' || said[i] === '0' : Math.abs(Number(shown[i]) - Number(said[i])) <= 0.5, `${head[places[i]]} of line ${row[0]} of ${label}: ${shown[i]} and ${said[i]}`);
        issues += Number(count);
        stalls += Number(stalled);
        ++compared;
      }
    }
    assert.deepEqual([issues, stalls], totals);
    assert.ok(compared > 10);
  }
}));

test('occupancy over time adds up to that of the whole run', () => withPage(two, async (page) => {
  await show(page, '#series');
  await page.click('#series figure:nth-of-type(2) .as-table-toggle');
  const table = await page.$$eval('#series figure:nth-of-type(2) tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.innerText.replaceAll(',', ''))));
  const {every, rows} = runs[0].time_series;
  const values = table.filter(([run]) => run === 'small').map((row) => Number(row[2]));
  const shown = Math.min(values.length, rows.length);
  assert.ok(shown > 300);
  const columns = runs[0].time_series.columns.map((name, i) => (name.endsWith('.resident_thread_cycles') ? i : -1)).filter((i) => i >= 0);
  assert.equal(columns.length, 2);
  const gain = (some) => some.reduce((sum, row) => sum + columns.reduce((all, i) => all + row[i], 0), 0);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  assert.ok(Math.abs(mean - (100 * gain(rows.slice(0, shown))) / (shown * every * 2 * 1536)) < 0.01, `${mean} %`);
  // The rows end with the last complete interval.
  const whole = runs[0].statistics.classes.sm['issue.resident_thread_cycles'];
  const late = whole - gain(rows);
  assert.ok(late >= 0 && late <= every * 2 * 1536, String(late));
}));

test('the theme follows the system and the button, and charts follow the theme', async () => {
  const background = (page) => page.$eval('body', () => getComputedStyle(document.documentElement).backgroundColor);
  const ink = (page) => page.$eval('#slots .canvas', ({chart}) => chart.getOption().textStyle.color);
  let light;
  await withPage(two, async (page) => {
    await show(page, '#slots');
    light = [await background(page), await ink(page)];
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
    await page.waitForFunction((before) => getComputedStyle(document.documentElement).backgroundColor !== before, {}, light[0]);
    assert.notEqual(await ink(page), light[1]);
  });
  await withPage(two, async (page) => {
    await show(page, '#slots');
    assert.notEqual(await background(page), light[0]);
    await page.click('#theme');
    assert.deepEqual([await background(page), await ink(page)], light);
  }, {dark: true});
});

test('hostile names in a run cannot break the page', async () => {
  const evil = '</script><img src=http://127.0.0.1:9/x onerror=console.error(1)>';
  const run = structuredClone(runs[0]);
  run.identity.machine = evil;
  run.identity.arguments = [evil];
  run.kernels[0].name = evil;
  run.profile.files[0].lines[16] = evil;
  run.profile.causes[0].sentence = evil;
  await withPage(report('evil', [save('evil', run), files[1]]), async (page) => {
    for (const id of kSections) await show(page, `#${id}`);
    assert.equal((await page.$$('img')).length, 0);
    assert.equal(await page.title(), `Heddle: ${evil} | gtx480`);
    assert.match(await textOf(page, '#source'), /onerror=console/);
    for (const id of ['speed', 'slots', 'series', 'heat', 'timelines', 'memory']) {
      await show(page, `#${id}`);
      const box = await (await page.$(`#${id} canvas`)).boundingBox();
      await page.mouse.move(box.x + 150, box.y + 20);
      await page.focus(`#${id} .canvas`);
      await page.keyboard.press('ArrowRight');
      assert.ok(await page.$$eval('.chart-tip', (all) => all.some((one) => one.innerText)), id);
      assert.equal((await page.$$('img')).length, 0, id);
    }
  });
});
