// SPDX-License-Identifier: Apache-2.0
// Bars of a timeline, few enough to draw: bars narrower than a pixel are merged with their neighbours.

/** Bars within [from, to].
 *  row: row of a span, or -1 to omit it; pixels: width of the drawing; colour: key that distinguishes spans.
 *  Result: [{row, from, to, first, count, key}], `first` the number of the (first) span; `key` is -1 if bars of different
 *  colours were merged. */
export function visibleBars(count, {first, last, row, key}, from, to, pixels) {
  const grain = (to - from) / Math.max(1, pixels);
  const open = new Map(); // last bar of each row
  const bars = [];
  for (let i = 0; i < count; ++i) {
    const begin = first[i], end = last[i] + 1;
    if (end < from || begin > to) continue;
    const lane = row(i);
    if (lane < 0) continue;
    const before = open.get(lane);
    const narrow = end - begin < grain;
    if (before && narrow && before.narrow && begin - before.to < grain && begin >= before.from) {
      before.to = Math.max(before.to, end);
      before.count += 1;
      if (before.key !== key(i)) before.key = -1;
      // Wide enough for a separate bar: start a new one.
      if (before.to - before.from >= 2 * grain) before.narrow = false;
      continue;
    }
    const bar = {row: lane, from: begin, to: end, first: i, count: 1, key: key(i), narrow};
    bars.push(bar);
    open.set(lane, bar);
  }
  return bars;
}
