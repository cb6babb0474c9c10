// SPDX-License-Identifier: Apache-2.0
// The payload of the page: base64 of a gzip member, in the layout of platforms/report/run_pack.h.

/** Decoded bytes of base64 text, using the browser's decompressor. */
async function decompress(base64) {
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const whole = new Response(stream.readable).arrayBuffer();
  // In pieces (multiples of four letters), because a string of hundreds of megabytes would be stored three times.
  const piece = 1 << 20;
  const feed = (async () => {
    for (let at = 0; at < base64.length; at += piece) {
      const text = atob(base64.slice(at, at + piece));
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
      await writer.write(bytes);
    }
    await writer.close();
  })();
  const [buffer] = await Promise.all([whole, feed]);
  return buffer;
}

const kViews = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array};

/** A table of numbers: column(name) is a typed array of `rows` values, or undefined. */
export class Table {
  constructor({columns, table}, buffer, base) {
    this.columns = columns;
    this.rows = table.rows;
    this.place = new Map(columns.map((name, i) => [name, table.data[i]]));
    this.buffer = buffer;
    this.base = base;
  }
  column(name) {
    const place = this.place.get(name);
    return place && new kViews[place[0]](this.buffer, this.base + place[1], this.rows);
  }
}

/** The runs of a payload's bytes: [{label, file, run}], tables in place. */
export function unpack(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const text = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const payload = JSON.parse(text);
  for (const {run} of payload.runs) {
    const place = (owner, name) => {
      if (owner?.[name]?.table) owner[name].table = new Table(owner[name], buffer, 8 + length);
    };
    place(run, 'time_series');
    place(run.spans, 'blocks');
    place(run.spans, 'warps');
  }
  return payload;
}

/** Reads and removes the payload element. */
export async function readPayload(element) {
  const text = element.textContent.trim();
  element.remove();
  return unpack(await decompress(text));
}
