// SPDX-License-Identifier: Apache-2.0
// Stacked bars, one per run, whose parts add up to all issue slots of the selected interval.
import {categoryAxis, createChart, frame, tipHtml, valueAxis} from '../chart.js';
import {inkOn} from '../colours.js';
import {choice, h, segmented} from '../dom.js';
import {escapeHtml, percent, withUnit} from '../format.js';

/** Intervals of all runs, by key; equal keys are merged. */
export function commonIntervals(runs) {
  const all = new Map();
  for (const run of runs) for (const [key, label] of run.intervals()) if (!all.has(key)) all.set(key, label);
  return [...all];
}

/** {element}. parts(run, interval): [{name, value, sentence}]; colour(name); order(names): stacking order. */
export function stackedBars(runs, {title, sentence, parts, colour, order, file}) {
  let mode = 'share', interval = 'run', at = collect();
  const hidden = new Set();

  function collect() {
    const found = runs.map((run) => {
      const list = parts(run, interval);
      return {run, parts: new Map(list.map((part) => [part.name, part])), total: list.reduce((sum, part) => sum + part.value, 0)};
    });
    const used = new Map();
    for (const one of found) for (const part of one.parts.values()) if (part.value > 0) used.set(part.name, part.sentence);
    return {found, names: order([...used.keys()]), sentences: used};
  }
  const share = (one, name) => (one.total > 0 ? (one.parts.get(name)?.value ?? 0) / one.total : 0);
  const modes = {
    share: {unit: '% of issue slots', value: (one, name) => 100 * share(one, name)},
    cycles: {unit: 'cycles', value: (one, name) => share(one, name) * (one.run.cyclesOf(interval) ?? 0)},
    slots: {unit: 'slots', value: (one, name) => one.parts.get(name)?.value ?? 0},
  };
  const value = (one, name) => modes[mode].value(one, name);
  const described = (one, name) => {
    const slots = one.parts.get(name)?.value ?? 0;
    const cycles = one.run.cyclesOf(interval);
    return [
      `${percent(share(one, name))} of the issue slots: ${withUnit(slots, 'slots')} of ${withUnit(one.total, 'slots')}`,
      cycles !== undefined && `equals ${withUnit(Math.round(share(one, name) * cycles), 'cycles')} of ${withUnit(cycles, 'cycles')}`,
    ].filter(Boolean);
  };
  const shownNames = () => at.names.filter((name) => !hidden.has(name));
  const legend = h('ul', {class: 'legend', 'aria-label': 'Parts; press one to hide or show it'});
  const chart = createChart({
    title, sentence, file, height: 26 + 34 * runs.length,
    option: () => ({
      ...frame(),
      grid: {left: 4, right: 4, top: 2, bottom: 2, containLabel: true},
      xAxis: valueAxis({min: 0, max: mode === 'share' && hidden.size === 0 ? 100 : undefined, axisLabel: {...valueAxis().axisLabel, formatter: mode === 'share' ? '{value} %' : valueAxis().axisLabel.formatter}}),
      yAxis: categoryAxis(runs.map((run) => run.label), {inverse: true, axisLabel: {width: 150, overflow: 'truncate'}}),
      series: shownNames().map((name) => ({
        name, type: 'bar', stack: 'all', barMaxWidth: 26, emphasis: {focus: 'series', itemStyle: {color: colour(name)}}, blur: {itemStyle: {opacity: 0.35}, label: {opacity: 0.6}},
        itemStyle: {color: colour(name), borderColor: frameColour(), borderWidth: 0.5},
        label: {
          show: true, color: inkOn(colour(name)), fontSize: 11,
          formatter: ({dataIndex}) => fitting(at.found[dataIndex], name),
        },
        data: at.found.map((one) => value(one, name)),
      })),
      tooltip: {...frame().tooltip, formatter: ({dataIndex, seriesName}) => tipHtml(`${escapeHtml(at.found[dataIndex].run.label)}: ${escapeHtml(seriesName)}`, [...described(at.found[dataIndex], seriesName), escapeHtml(at.sentences.get(seriesName) ?? '')])},
    }),
    table: () => ({
      columns: [
        {label: 'Run', value: ({run}) => run.label},
        ...at.names.map((name) => ({label: name, unit: modes[mode].unit, sentence: at.sentences.get(name), numeric: true, colour: colour(name), value: (one) => value(one, name)})),
        {label: 'Sum', unit: modes[mode].unit, sentence: 'All parts: issue slots per cycle times cycles.', numeric: true, value: (one) => at.names.reduce((sum, name) => sum + value(one, name), 0)},
      ],
      rows: at.found,
    }),
    points: () => at.found.length * shownNames().length,
    point: (i) => {
      const names = shownNames();
      const one = at.found[Math.floor(i / names.length)], name = names[i % names.length];
      return {text: `${one.run.label}, ${name}: ${described(one, name).join('; ')}. ${at.sentences.get(name)}`, seriesIndex: i % names.length, dataIndex: Math.floor(i / names.length)};
    },
    tools: [
      choice('Interval', commonIntervals(runs), interval, (key) => { interval = key; refresh(); }),
      segmented('Scale', [['share', 'Share'], ['cycles', 'Cycles'], ['slots', 'Slots']], mode, (key) => { mode = key; refresh(); }),
    ],
  });
  /** Name and share of a part, or only the share, or nothing, as space permits. */
  function fitting(one, name) {
    const whole = mode === 'share' && hidden.size === 0 ? 1 : Math.max(...at.found.map((other) => shownNames().reduce((sum, part) => sum + value(other, part), 0)));
    const part = mode === 'share' && hidden.size === 0 ? share(one, name) : value(one, name) / whole;
    const room = part * Math.max(300, chart.element.clientWidth - 160) - 6;
    const texts = [`${name} ${percent(share(one, name))}`, percent(share(one, name))];
    return texts.find((text) => 6.4 * text.length < room) ?? '';
  }
  const frameColour = () => getComputedStyle(document.documentElement).getPropertyValue('--panel').trim();

  function fillLegend() {
    legend.replaceChildren(...at.names.map((name) => h('li', {}, h('button', {
      type: 'button', 'aria-pressed': String(!hidden.has(name)), 'data-tip': `${name}\n${at.sentences.get(name)}`,
      onclick: (event) => {
        if (!hidden.delete(name)) hidden.add(name);
        event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(name)));
        chart.update();
      },
      onmouseenter: () => chart.instance()?.dispatchAction({type: 'highlight', seriesName: name}),
      onmouseleave: () => chart.instance()?.dispatchAction({type: 'downplay', seriesName: name}),
    }, h('i', {class: 'swatch', style: `background:${colour(name)}`}), name))));
  }
  function refresh() {
    at = collect();
    fillLegend();
    chart.update();
  }
  fillLegend();
  chart.element.append(legend);
  return chart.element;
}
