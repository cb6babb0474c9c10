// SPDX-License-Identifier: Apache-2.0
// Classes of issue slots by the threads that executed: W1-4, W32.

/** Threads of a class such as W5-8, W32 or W33+: its upper end, or where it starts. */
export function lanesOf(name) {
  const match = /^W(?:\d+-)?(\d+)\+?$/.exec(name);
  return match ? Number(match[1]) : 0;
}

/** Threads of the widest class, 32 or more, that has at least a hundredth of the issuing slots of one of the runs. What is wider
 *  is rare: a jump that a large warp issues once for all of its threads. all: {class: slots} of each run. */
export function widestClass(all) {
  const issuing = (counts) => Object.entries(counts).filter(([name]) => lanesOf(name) > 0);
  return Math.max(32, ...all.flatMap((counts) => {
    const sum = issuing(counts).reduce((total, [, count]) => total + count, 0);
    return issuing(counts).filter(([, count]) => count > 0.01 * sum).map(([name]) => lanesOf(name));
  }));
}

/** The counts with all classes of more threads than `widest` as one. */
export function joinWider(counts, widest) {
  const joined = {};
  for (const [name, count] of Object.entries(counts)) {
    const to = lanesOf(name) > widest ? `W${widest + 1}+` : name;
    joined[to] = (joined[to] ?? 0) + count;
  }
  return joined;
}
