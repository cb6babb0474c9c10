// SPDX-License-Identifier: Apache-2.0
// One run: its numbers by class, instance and interval, for any machine.
import {plainName, baseName} from './format.js';

const kSlots = 'issue.slots.';

export class Run {
  constructor({label, file, run}, index) {
    this.label = label;
    this.file = file;
    this.index = index;
    this.data = run;
    this.cycles = run.run?.cycles ?? 0;
    this.kernels = run.kernels ?? [];
    this.classes = run.statistics?.classes ?? {};
    this.instances = run.statistics?.instances ?? {};
    this.declarations = run.declarations?.classes ?? {};
    /** SM classes, which account for issue slots. */
    this.smClasses = Object.keys(this.classes).filter((name) => hasSlots(this.classes[name]));
  }
  get program() {
    return baseName(this.data.identity?.program);
  }

  /** {unit, kind, sentence} of a statistic of a class; empty texts when it is not declared. */
  declaration(className, name) {
    return this.declarations[className]?.[name] ?? {unit: '', kind: '', sentence: ''};
  }
  /** The same for a statistic of any SM class. */
  smDeclaration(name) {
    const owner = this.smClasses.find((one) => this.declarations[one]?.[name]);
    return this.declaration(owner, name);
  }

  /** The same of a counter `instance.name` or `instance.name[bucket]`, as a time series has it. An instance is of the class
   *  of its name, or, as SMs of several classes are, of one that declares the statistic. */
  columnDeclaration(column) {
    const [, instance, name] = /^([^.]*)\.(.*?)(?:\[.*)?$/.exec(column) ?? [null, '', column];
    return this.instanceDeclaration(instance, name);
  }
  instanceDeclaration(instance, name) {
    const own = this.declarations[instance.replace(/_?\d+$/, '')]?.[name];
    return own ?? Object.values(this.declarations).map((one) => one[name]).find((one) => one) ?? {unit: '', kind: '', sentence: ''};
  }

  /** Names of instances whose statistics have this name, in the machine's order. */
  instancesWith(name) {
    return Object.keys(this.instances).filter((one) => name in this.instances[one]);
  }
  get sms() {
    return Object.keys(this.instances).filter((one) => hasSlots(this.instances[one]));
  }

  /** Statistics by class of an interval: `run`, `launch:N`, `name:KERNEL` (all its launches) or `region:NAME`. */
  statistics(interval) {
    if (interval === 'run') return this.classes;
    const [kind, ...rest] = interval.split(':');
    const key = rest.join(':');
    const entries = kind === 'region'
      ? (this.data.regions ?? []).filter((region) => region.name === key)
      : this.kernels.filter((kernel) => (kind === 'launch' ? String(kernel.launch) : kernel.name) === key);
    return addUp(entries.map((entry) => entry.statistics?.classes ?? {}));
  }

  /** A counter or histogram summed over the SM classes; undefined if no class declares it. */
  sm(name, statistics = this.classes) {
    if (!this.smClasses.some((one) => name in this.classes[one])) return undefined;
    return this.smClasses.map((one) => statistics[one]?.[name]).reduce(plus, undefined) ?? 0;
  }

  /** Where the cycles went: [{name, value, sentence}] in the model's order, and the cycles of all SMs. */
  slots(interval = 'run') {
    const statistics = this.statistics(interval);
    const causes = new Map();
    for (const owner of this.smClasses) {
      for (const name of Object.keys(this.classes[owner])) {
        if (!name.startsWith(kSlots) || name === `${kSlots}cycles`) continue;
        const cause = name.slice(kSlots.length);
        const known = causes.get(cause) ?? {name: cause, value: 0, sentence: causeSentence(this.declaration(owner, name))};
        known.value += statistics[owner]?.[name] ?? 0;
        causes.set(cause, known);
      }
    }
    return {causes: [...causes.values()], cycles: this.sm(`${kSlots}cycles`, statistics) ?? 0};
  }

  /** Selectable intervals: [[key, label]]. */
  intervals() {
    const list = [['run', 'Whole run']];
    const launches = new Map();
    for (const {name} of this.kernels) launches.set(name, (launches.get(name) ?? 0) + 1);
    for (const [name, count] of launches) list.push([`name:${name}`, `${plainName(name)}, ${count === 1 ? 'one launch' : `all ${count} launches`}`]);
    for (const region of this.data.regions ?? []) list.push([`region:${region.name}`, `region ${region.name}`]);
    for (const {launch, name} of this.kernels.slice(0, 500)) list.push([`launch:${launch}`, `launch ${launch}, ${plainName(name)}`]);
    return list;
  }

  /** Cycles of an interval of the core clock. */
  cyclesOf(interval) {
    if (interval === 'run') return this.cycles;
    const [kind, key] = [interval.slice(0, interval.indexOf(':')), interval.slice(interval.indexOf(':') + 1)];
    if (kind === 'region') return undefined;
    return this.kernels
      .filter((kernel) => kernel.timed && (kind === 'launch' ? String(kernel.launch) : kernel.name) === key)
      .reduce((sum, kernel) => sum + kernel.cycles, 0);
  }
}

function hasSlots(values) {
  return Object.keys(values).some((name) => name.startsWith(kSlots));
}

/** Sum of two numbers or histograms; undefined counts as zero. */
function plus(a, b) {
  if (a === undefined) return b;
  if (b === undefined) return a;
  if (typeof a === 'number') return a + b;
  const sum = {...a};
  for (const [label, count] of Object.entries(b)) sum[label] = (sum[label] ?? 0) + count;
  return sum;
}

function addUp(list) {
  if (list.length === 1) return list[0];
  const total = {};
  for (const classes of list) {
    for (const [owner, values] of Object.entries(classes)) {
      const into = (total[owner] ??= {});
      for (const [name, value] of Object.entries(values)) into[name] = plus(into[name], value);
    }
  }
  return total;
}

/** Description of a cause, without the common prefix. */
function causeSentence({sentence}) {
  return sentence.replace(/^issue slots( that issued)?: /, '');
}

/** Maximum resident threads per SM, in order. An SM class contains `count` SMs. */
export function residentThreads(configuration) {
  const plain = (node) => (node !== null && typeof node === 'object' ? node.value : node);
  return (configuration?.gpu?.sm_classes ?? []).flatMap(({count, sm}) => new Array(plain(count) ?? 1).fill(plain(sm?.residency?.threads)));
}

/** Paths and values of a resolved configuration: {path: text}. `source` contains the origin of a value. */
export function flatten(configuration) {
  const values = new Map();
  const visit = (path, node) => {
    if (node !== null && typeof node === 'object' && !Array.isArray(node)) {
      if ('value' in node && Object.keys(node).every((key) => kAnnotations.has(key))) {
        values.set(path, {value: node.value, published: node.published, source: node.source, chosen: node.chosen});
        return;
      }
      for (const [key, child] of Object.entries(node)) visit(path ? `${path}.${key}` : key, child);
    } else if (Array.isArray(node) && node.some((one) => one !== null && typeof one === 'object')) {
      node.forEach((child, i) => visit(`${path}[${i}]`, child));
    } else {
      values.set(path, {value: node});
    }
  };
  visit('', configuration ?? {});
  for (const name of ['name', 'description', 'published']) values.delete(name);
  return values;
}
const kAnnotations = new Set(['value', 'published', 'source', 'chosen']);

/** The declared path of a parameter: list elements are called *. */
export function declaredPath(path) {
  return path.replace(/\[\d+\]/g, '.*');
}

/** Comparison of configurations: [{path, values: [text by run], same}], in the order of the first. */
export function compareConfigurations(configurations) {
  const flat = configurations.map(flatten);
  const paths = [...new Set(flat.flatMap((values) => [...values.keys()]))];
  const text = (value) => (value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value));
  return paths.map((path) => {
    const values = flat.map((one) => text(one.get(path)?.value));
    const origin = flat.map((one) => one.get(path)).find((one) => one);
    return {path, values, origin, same: values.every((value) => value === values[0])};
  });
}
