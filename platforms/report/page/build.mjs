// SPDX-License-Identifier: Apache-2.0
// Bundles src/ and the plotting library into one page without data.
// usage: node build.mjs PACKAGES OUTPUT    (PACKAGES: the folder that holds node_modules)
import {createHash} from 'node:crypto';
import {createRequire} from 'node:module';
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const [packages, output] = process.argv.slice(2).map((path) => resolve(path));
if (!output) {
  console.error('usage: node build.mjs PACKAGES OUTPUT');
  process.exit(2);
}
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const esbuild = createRequire(join(packages, 'package.json'))('esbuild');
const bundle = async (file) => {
  const built = await esbuild.build({
    entryPoints: [join(source, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    nodePaths: [join(packages, 'node_modules')],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return built.outputFiles[0].text;
};

const licence = await readFile(join(packages, 'node_modules/echarts/NOTICE'), 'utf8');
const parts = {
  '{{style}}': await bundle('style.css'),
  '{{script}}': `/*! Plots: Apache ECharts. ${licence.replaceAll('*/', '* /').trim()} */\n${await bundle('main.js')}`,
};
// Only this very script may run: what a run names cannot bring one in.
parts['{{script-digest}}'] = `'sha256-${createHash('sha256').update(parts['{{script}}']).digest('base64')}'`;
let page = await readFile(join(source, 'index.html'), 'utf8');
for (const [mark, text] of Object.entries(parts)) {
  if (/<\/(script|style)/i.test(text)) throw new Error(`${mark} would end its own element`);
  page = page.replace(mark, () => text);
}
await mkdir(dirname(output), {recursive: true});
await writeFile(`${output}.partial`, page);
await rename(`${output}.partial`, output);
