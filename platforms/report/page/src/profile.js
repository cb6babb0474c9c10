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

/** Source lines of a file with what kernels did there: Map line -> {counts, stalls, instructions: [{kernel, ...}]}.
 *  kernels: those of the profile to look at; line 0 gathers what has no line in the file when file is -1. */
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

/** What several instructions did, all of a list. */
export function sumOf(instructions) {
  return instructions.reduce(addTo, nothing());
}

/** Active lanes a packet; NaN where none issued. */
export function lanesAPacket({counts}) {
  const packets = counts.packets ?? counts.issues ?? 0;
  return packets > 0 ? (counts.active_lanes ?? 0) / packets : NaN;
}

/** Index of the file of the same name in another run's profile; -1 when it has none. */
export function sameFile(profile, path) {
  const exact = profile.files.findIndex((file) => file.path === path);
  if (exact >= 0) return exact;
  const name = path.replace(/.*\//, '');
  return profile.files.findIndex((file) => file.path.replace(/.*\//, '') === name);
}
