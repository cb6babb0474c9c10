// SPDX-License-Identifier: Apache-2.0
// Assembles the page.
import {runColour} from './colours.js';
import {installCharts} from './chart.js';
import {readPayload} from './data.js';
import {choice, h, tick} from './dom.js';
import {withUnit} from './format.js';
import {Run} from './run.js';
import {set, state} from './state.js';
import {installTips} from './tip.js';
import {configuration} from './sections/configuration.js';
import {heat} from './sections/heat.js';
import {kernels} from './sections/kernels.js';
import {locality} from './sections/locality.js';
import {memory} from './sections/memory.js';
import {overview} from './sections/overview.js';
import {series} from './sections/series.js';
import {lanes, slots} from './sections/slots.js';
import {source} from './sections/source.js';
import {speed} from './sections/speed.js';
import {statistics} from './sections/statistics.js';
import {timelines} from './sections/timelines.js';

const kSections = [overview, speed, slots, lanes, series, heat, timelines, memory, locality, kernels, source, configuration, statistics];

/** The theme follows the system until the user switches. */
function installTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const show = (dark) => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    set('dark', dark);
  };
  let chosen = false;
  system.addEventListener('change', () => { if (!chosen) show(system.matches); });
  document.documentElement.dataset.theme = system.matches ? 'dark' : 'light';
  state.dark = system.matches;
  return h('button', {type: 'button', id: 'theme', text: 'Light / dark', 'data-tip': 'Light or dark theme\nInitially the system\'s preference', onclick: () => { chosen = true; show(!state.dark); }});
}

function fillHeader(payload, runs) {
  document.getElementById('header').append(
    h('h1', {}, 'Heddle', h('small', {text: runs.length === 1 ? 'report of a run' : `report of ${runs.length} runs`})),
    h('ul', {class: 'runs', 'aria-label': 'Runs'}, runs.map((run) => h('li', {
      tabindex: '0', 'data-tip': `${run.label}\n${run.program} on ${run.data.identity?.machine ?? 'a machine'}: ${withUnit(run.cycles, 'cycles')}\n${run.file}`,
    }, h('i', {class: 'swatch', style: `background:${runColour(run.index)}`}), run.label))),
    h('span', {class: 'grow'}),
    runs.length > 1 ? choice('Baseline', runs.map((run) => [String(run.index), run.label]), '0', (index) => set('baseline', Number(index))) : '',
    tick('Patterns', false, (on) => set('patterns', on)),
    installTheme());
}

/** Links to the sections, with the current one marked. */
function fillNavigation(sections) {
  const links = new Map(sections.map((one) => [one, h('a', {href: `#${one.id}`, text: one.querySelector('h2').textContent})]));
  document.getElementById('navigation').append(h('ol', {}, [...links.values()].map((link) => h('li', {}, link))));
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) seen[isIntersecting ? 'add' : 'delete'](target);
    const first = sections.find((one) => seen.has(one));
    for (const [one, link] of links) {
      if (one === first) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }, {rootMargin: '-60px 0px -50% 0px'});
  for (const one of sections) watch.observe(one);
}

async function start() {
  const payload = await readPayload(document.getElementById('payload'));
  const runs = payload.runs.map((entry, index) => new Run(entry, index));
  state.runs = runs;
  state.zoomFull = [0, Math.max(1, ...runs.map((run) => run.cycles))];
  state.zoom = state.zoomFull;
  fillHeader(payload, runs);
  installTips();
  installCharts();
  const main = document.getElementById('main');
  const sections = kSections.map((make) => make(runs, payload));
  main.replaceChildren(...sections, h('footer', {}, `Created by heddle report ${payload.heddle}. Arrow keys move within a table or chart; Esc hides the tooltip.`));
  fillNavigation(sections);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => {
  document.getElementById('main').replaceChildren(h('p', {class: 'warning', role: 'alert', text: `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`}));
  console.error(error);
});
