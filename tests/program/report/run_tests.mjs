// SPDX-License-Identifier: Apache-2.0
// Runs the tests of the page, or prints why they are skipped and exits with 77.
// usage: node run_tests.mjs [--sample] BUILD PACKAGES    --sample: half of the tests, a different half for each commit
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {findChromium} from './browser.mjs';

const words = process.argv.slice(2);
const sample = words[0] === '--sample' ? {HEDDLE_SAMPLE: commit()} : {};
const [build, packages] = words.slice(-2);

/** As in tools/by_commit.py. */
function commit() {
  const tools = new URL('../../../tools', import.meta.url).pathname;
  return execFileSync('python3', ['-c', 'import by_commit; print(by_commit.commit())'], {cwd: tools, encoding: 'utf8'}).trim();
}

if (!findChromium()) {
  console.log('no Chromium is installed (apt-get install chromium, or name one in HEDDLE_CHROMIUM): the page is not tested');
  process.exit(77);
}
if (!existsSync(join(packages, 'installed'))) {
  console.log(`${packages}: the packages of the tests are not installed; build the target report_test_packages`);
  process.exit(1);
}
const here = new URL('.', import.meta.url).pathname;
const tests = ['page.test.mjs', 'machines.test.mjs', 'long.test.mjs'].map((name) => join(here, name));
const run = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...tests], {
  stdio: 'inherit', env: {...process.env, ...sample, HEDDLE_BUILD: build, HEDDLE_TEST_PACKAGES: packages},
});
process.exit(run.status ?? 1);
