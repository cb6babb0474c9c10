// SPDX-License-Identifier: Apache-2.0
// The instruction profile by source line.

/** Adds the counts and stalls of an instruction to a sum of the same shape. */
export function addTo(sum, instruction) {
  for (const part of ['counts', 'stalls']) {
    for (const [name, value] of Object.entries(instruction[part] ?? {})) sum[part][name] = (sum[part][name] ?? 0) + value;
  }
  return sum;
}
export const nothing = () => ({counts: {}, stalls: {}});

export function total(values) {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

/** Statistics of the source lines of a file: Map line -> {counts, stalls, instructions: [{kernel, ...}]}.
 *  kernels: selected kernels of the profile; with file -1, line 0 collects instructions without a line. */
export function byLine(kernels, file) {
  const lines = new Map();
  for (const kernel of kernels) {
    for (const instruction of kernel.instructions) {
      if (instruction.file !== file) continue;
      const number = file < 0 ? 0 : instruction.line;
      if (!lines.has(number)) lines.set(number, {...nothing(), instructions: []});
      const line = lines.get(number);
      addTo(line, instruction);
      line.instructions.push({kernel: kernel.name, ...instruction});
    }
  }
  return lines;
}

/** Sum over a list of instructions. */
export function sumOf(instructions) {
  return instructions.reduce(addTo, nothing());
}

/** Executing threads per issue; undefined without issues. */
export function threadsAnIssue({counts}) {
  return counts.issues > 0 ? (counts.active_lanes ?? 0) / counts.issues : undefined;
}

/** Share of the offered lanes in which a thread executed; undefined if none were offered. */
export function laneShare({counts}) {
  return counts.offered_lanes > 0 ? (counts.active_lanes ?? 0) / counts.offered_lanes : undefined;
}

/** Hit rate in a cache, 'l1' or 'l2'; undefined without look-ups. */
export function hitShare({counts}, cache) {
  const hits = counts[`${cache}_hits`] ?? 0;
  const all = hits + (counts[`${cache}_misses`] ?? 0) + (counts[`${cache}_merges`] ?? 0);
  return all > 0 ? hits / all : undefined;
}

/** Index of the file of the same name in another run's profile; -1 when it has none. */
export function sameFile(profile, path) {
  const exact = profile.files.findIndex((file) => file.path === path);
  if (exact >= 0) return exact;
  const name = path.replace(/.*\//, '');
  return profile.files.findIndex((file) => file.path.replace(/.*\//, '') === name);
}
