// SPDX-License-Identifier: Apache-2.0
// Where the cycles went, and how many lanes were active.
import {causeColour, causeOrder, rampColour} from '../colours.js';
import {joinWider, lanesOf, widestClass} from '../lanes.js';
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

export function lanes(runs) {
  const having = runs.filter((run) => run.sm(kLanes) !== undefined);
  // Classes of all runs, so that colours have the same meaning for all.
  const widest = widestClass(having.map((run) => run.sm(kLanes)));
  return section('lanes', 'Active lanes', 'The same slots by number of executing threads: W5-8 means five to eight threads. Darker colours mean more threads.',
    having.length === 0 ? absent('The machines record no lanes.') : stackedBars(having, {
      title: 'Issue slots by active lanes', file: 'active_lanes',
      sentence: having[0].smDeclaration(kLanes).sentence,
      parts: (run, interval) => Object.entries(joinWider(run.sm(kLanes, run.statistics(interval)) || {}, widest))
        .filter(([name]) => name !== 'sum')
        .map(([name, value]) => ({name, value, sentence: kEmpty[name]?.[1] ?? `Slots that issued an instruction for ${name.slice(1).replace('+', ' or more')} threads.`})),
      colour: (name) => kEmpty[name]?.[0] ?? (lanesOf(name) > widest ? '#402878' : rampColour(lanesOf(name) / widest)),
      order: (names) => [...names].sort((a, b) => lanesOf(b) - lanesOf(a) || a.localeCompare(b)),
    }));
}
