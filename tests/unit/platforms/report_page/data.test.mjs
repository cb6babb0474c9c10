// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import {gzipSync} from 'node:zlib';
import {readPayload, unpack} from '../../../../platforms/report/page/src/data.js';

/** A payload as platforms/report/run_pack.h lays it out. */
function payload() {
  const run = {time_series: {columns: ['cycle', 'n'], table: {rows: 3, data: [['u16', 0], ['f64', 8]]}}, spans: {blocks: {columns: ['sm'], table: {rows: 0, data: []}}}};
  let text = JSON.stringify({heddle: '1', runs: [{label: 'ä', run}]});
  const bytes = Buffer.from(text);
  const padded = Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const columns = Buffer.alloc(32);
  [99, 199, 299].forEach((value, i) => columns.writeUInt16LE(value, 2 * i));
  [1, 0.5, 2].forEach((value, i) => columns.writeDoubleLE(value, 8 + 8 * i));
  return Buffer.concat([length, padded, columns]);
}

function check({runs}) {
  assert.equal(runs[0].label, 'ä');
  const {table} = runs[0].run.time_series;
  assert.deepEqual([...table.column('cycle')], [99, 199, 299]);
  assert.deepEqual([...table.column('n')], [1, 0.5, 2]);
  assert.equal(table.column('other'), undefined);
  assert.equal(runs[0].run.spans.blocks.table.rows, 0);
}

test('tables are views into the payload', () => {
  const bytes = payload();
  check(unpack(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)));
});

test('the payload element is read, decompressed and removed', async () => {
  let removed = false;
  const noise = Buffer.alloc(3 << 20);
  for (let i = 0, state = 1; i < noise.length; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    noise[i] = state >>> 24;
  }
  // Longer than one piece of base64, so that pieces are joined.
  const text = gzipSync(Buffer.concat([payload(), noise])).toString('base64');
  check(await readPayload({textContent: `\n${text}\n`, remove: () => { removed = true; }}));
  assert.ok(text.length > 1 << 20);
  assert.ok(removed);
});
