// SPDX-License-Identifier: Apache-2.0
// Numbers of the member `locality` of a run, without the page.
import {baseName} from './format.js';

/** Lines asked for: of a load's counts, or of a limit. */
export function accesses(counts) {
  return hits(counts) + counts.merges + counts.misses;
}
export function hits(counts) {
  return counts.hits ?? counts.intra_thread + counts.inter_thread + counts.inter_warp;
}
/** Hits as a share of the lines asked for; 0 of none. */
export function hitRate(counts) {
  return hits(counts) / Math.max(1, accesses(counts));
}

const kCounts = ['intra_thread', 'inter_thread', 'inter_warp', 'merges', 'misses'];
const sum = (all) => Object.fromEntries(kCounts.map((name) => [name, all.reduce((total, counts) => total + counts[name], 0)]));
const bytes = (size) => (size % 1024 === 0 ? (size % (1 << 20) === 0 ? `${size / (1 << 20)} MB` : `${size / 1024} KB`) : `${size} bytes`);

/** The run and the replays: [{name, counts}] of a kernel. */
export function cacheRows(locality, kernel) {
  const named = ({policy, bytes: size, ways, line_bytes: line}) => (size === 0 ? policy : `${policy}, ${bytes(size)}, ${ways} ways, ${line} B lines`);
  return [{name: 'the run', counts: sum(kernel.loads.map(({counts}) => counts))},
    ...locality.replays.map((replay, i) => ({name: named(replay), counts: sum(kernel.loads.map(({replays}) => replays[i]))}))];
}

export function loopName(loop, files) {
  return `loop at ${loop.file >= 0 && loop.line > 0 ? `${baseName(files[loop.file]?.path)}:${loop.line}, ` : ''}pc ${loop.pc}`;
}

/** Loads with the most misses first; `hot` are those with more than a tenth of them. */
export function loadRows(locality, kernel) {
  const misses = kernel.loads.reduce((total, {counts}) => total + counts.misses, 0);
  return kernel.loads.map((load) => {
    const line = locality.files[load.file]?.lines?.[load.line - 1]?.trim();
    return {
      ...load,
      place: load.file >= 0 && load.line > 0 ? `${baseName(locality.files[load.file]?.path)}:${load.line}${line ? `  ${line}` : ''}` : `pc ${load.pc}  ${load.text}`,
      loop: load.loop >= 0 ? loopName(kernel.loops[load.loop], locality.files) : '',
      hot: load.counts.misses > 0.1 * misses,
    };
  }).sort((a, b) => b.counts.misses - a.counts.misses);
}

/** The limit under which the model takes the least time, if that is clearly less than without one. */
export function bestLimit(kernel) {
  if (kernel.limits.length === 0) return undefined;
  const best = kernel.limits.reduce((least, one) => (one.cycles < least.cycles ? one : least));
  return best.cycles <= 0.95 * kernel.limits.at(-1).cycles ? best : undefined;
}
