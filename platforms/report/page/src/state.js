// SPDX-License-Identifier: Apache-2.0
// The user's selections. Parts of the page subscribe to changes.

const listeners = new Map();

export const state = {
  runs: [],
  baseline: 0, // index of a run
  dark: false,
  patterns: false,
  zoom: [0, 1], // core cycles that time axes show
  zoomFull: [0, 1],
};

/** change(): called after one of the named members has changed. */
export function listen(names, change) {
  for (const name of names.split(' ')) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(change);
  }
}

export function set(name, value) {
  state[name] = value;
  for (const change of listeners.get(name) ?? []) change();
}

/** Shows these cycles on all time axes, clamped to the runs and at least two apart. */
export function zoomTo(from, to) {
  const [first, last] = state.zoomFull;
  from = Math.max(first, Math.min(from, last - 2));
  to = Math.min(last, Math.max(to, from + 2));
  if (from === state.zoom[0] && to === state.zoom[1]) return;
  set('zoom', [from, to]);
}
