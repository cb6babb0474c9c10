// SPDX-License-Identifier: Apache-2.0
// One colour per run and per cause, everywhere on the page. Runs: the palette of Okabe and Ito, which is safe for all kinds of
// colour vision; it repeats from the ninth on, where names distinguish. Related causes have related hues.

const kRuns = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a7f00', '#7a7a7a'];

export function runColour(index) {
  return kRuns[index % kRuns.length];
}

/** Causes of issue slots and of a context's waiting, which share names if they mean the same. Blue: work. Warm: waiting for
 * results. Green: the front end. Purple: structures. Turquoise: another's turn. Brown: other threads. Grey: nothing. */
const kCauses = {
  issued: '#2166ac', ganged: '#4a90d9', combined: '#4a90d9', waves: '#9ecae1', packet: '#6baed6', arrival: '#a6cee3', packing: '#5e7d9a',
  memory: '#d55e00', hazard: '#f2a93b', pipeline: '#f6d36b',
  fetch: '#1b9e77', branch: '#8fd1a6', asleep: '#3b5a4c',
  unit_busy: '#7b4fa3', memory_kind: '#a678c9', regrouping: '#8a5a9e', held: '#c79bd6', not_chosen: '#17a2b8', gang_conflict: '#0f7c8c',
  barrier: '#7d5a3c', rendezvous: '#b08d6e', parked: '#d8c3a5', gang_wait: '#94704d', partner_wait: '#94704d',
  no_warp: '#a9afb8', none: '#a9afb8',
};
/** Unknown causes, of mechanisms added to the model. */
const kOthers = ['#e7298a', '#66a61e', '#00838f', '#9e4a3a', '#4d4d9f', '#b5a300'];
const given = new Map();

export function causeColour(name) {
  if (kCauses[name]) return kCauses[name];
  if (!given.has(name)) given.set(name, kOthers[given.size % kOthers.length]);
  return given.get(name);
}

/** Stacking order of causes: the known ones as above, then others. */
export function causeOrder(names) {
  const known = Object.keys(kCauses);
  const place = (name) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...names].sort((a, b) => place(a) - place(b));
}

/** From few lanes to all lanes: dark is full, but still visible on a dark page. */
const kRamp = [[253, 231, 37], [122, 209, 81], [53, 158, 140], [46, 111, 172], [98, 66, 158]];

export function rampColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (kRamp.length - 1);
  const low = Math.min(Math.floor(at), kRamp.length - 2);
  const mixed = kRamp[low].map((part, i) => Math.round(part + (kRamp[low + 1][i] - part) * (at - low)));
  return `rgb(${mixed.join(',')})`;
}

/** For heat maps: pale to strong on a light page, dark to bright on a dark one. */
export function heatColours(dark) {
  return dark
    ? ['#1d2733', '#27486b', '#2f7f8f', '#57b894', '#f0e56b']
    : ['#f2f5f9', '#b9dbe0', '#57b5b5', '#2b6f97', '#2d1e5f'];
}

/** Colours of neighbours in a timeline: launches alternate between dark and pale, in hues not used for runs. */
const kTurns = ['#4e5d9c', '#9ec5e8', '#6d4c7d', '#d3a4c9', '#3c6e71', '#a8d5ba'];

export function turnColour(index) {
  return kTurns[((index % kTurns.length) + kTurns.length) % kTurns.length];
}

/** Black or white, whichever has the larger contrast (WCAG 2) with a colour written as #rrggbb or rgb(r,g,b). */
export function inkOn(colour) {
  const [r, g, b] = colour.startsWith('#')
    ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16))
    : colour.match(/\d+/g).map(Number);
  const [red, green, blue] = [r, g, b].map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
