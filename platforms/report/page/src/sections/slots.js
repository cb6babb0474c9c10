// SPDX-License-Identifier: Apache-2.0
// Where the cycles went, and how many lanes were active.
import {causeColour, causeOrder, rampColour} from '../colours.js';
import {absent, section} from './section.js';
import {stackedBars} from './stacked.js';

export function slots(runs) {
  const having = runs.filter((run) => run.smClasses.length > 0);
  const missing = runs.filter((run) => run.smClasses.length === 0);
  return section('slots', 'Where the cycles went', 'Every issue slot of every cycle of every SM is charged to exactly one cause; the causes add up to slots × cycles.',
    ...missing.map((run) => absent(`${run.label} has no SM, so nothing was issued.`)),
    having.length > 0 && stackedBars(having, {
      title: 'Issue slots by cause', file: 'where_the_cycles_went',
      sentence: 'Use of each issue slot, or the reason why it was empty.',
      parts: (run, interval) => run.slots(interval).causes, colour: causeColour, order: causeOrder,
    }));
}

const kLanes = 'issue.slot_lanes';
const kEmpty = {
  W0_idle: ['#a9afb8', 'Slots with no instruction to issue.'],
  W0_scoreboard: ['#f2a93b', 'Slots in which the next instructions waited for results of arithmetic or memory.'],
  W0_no_thread: ['#c79bd6', 'Slots that issued an instruction executed by no thread, or one that waits for threads to synchronise.'],
};

/** Threads of a class such as W5-8 or W32: its upper end. */
export function lanesOf(name) {
  const match = /^W(?:\d+-)?(\d+)$/.exec(name);
  return match ? Number(match[1]) : 0;
}

export function lanes(runs) {
  const having = runs.filter((run) => run.sm(kLanes) !== undefined);
  // Classes of the widest machine, so that colours have the same meaning for all.
  const widest = Math.max(32, ...having.flatMap((run) => Object.entries(run.sm(kLanes)).filter(([, count]) => count > 0).map(([name]) => lanesOf(name))));
  return section('lanes', 'Active lanes', 'The same slots by number of executing threads: W5-8 means five to eight threads. Darker colours mean more threads.',
    having.length === 0 ? absent('The machines record no lanes.') : stackedBars(having, {
      title: 'Issue slots by active lanes', file: 'active_lanes',
      sentence: having[0].smDeclaration(kLanes).sentence,
      parts: (run, interval) => Object.entries(run.sm(kLanes, run.statistics(interval)) || {})
        .filter(([name]) => name !== 'sum')
        .map(([name, value]) => ({name, value, sentence: kEmpty[name]?.[1] ?? `Slots that issued an instruction for ${name.slice(1)} threads.`})),
      colour: (name) => kEmpty[name]?.[0] ?? rampColour(lanesOf(name) / widest),
      order: (names) => [...names].sort((a, b) => lanesOf(b) - lanesOf(a) || a.localeCompare(b)),
    }));
}
