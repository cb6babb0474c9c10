// SPDX-License-Identifier: Apache-2.0
// A chart: a canvas drawn lazily when it nears the viewport, its numbers as a table, and keyboard navigation along its points.
import {BarChart, CustomChart, HeatmapChart, LineChart} from 'echarts/charts';
import {AriaComponent, DataZoomComponent, GridComponent, ToolboxComponent, TooltipComponent, VisualMapComponent} from 'echarts/components';
import {init, use} from 'echarts/core';
import {CanvasRenderer} from 'echarts/renderers';
import {announce} from './tip.js';
import {h} from './dom.js';
import {listen, set, state, zoomTo} from './state.js';
import {short} from './format.js';
import {createTable} from './table.js';

use([BarChart, CustomChart, HeatmapChart, LineChart, AriaComponent, DataZoomComponent, GridComponent, ToolboxComponent,
  TooltipComponent, VisualMapComponent, CanvasRenderer]);

const charts = new Set();
const near = new IntersectionObserver((entries) => {
  for (const {target, isIntersecting} of entries) if (isIntersecting) target.draw?.();
}, {rootMargin: '300px'});

/** Colours of the page's theme, for canvases. */
export function ink() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {text: read('--text'), quiet: read('--quiet'), line: read('--line'), panel: read('--panel'), tip: read('--tip'), tipText: read('--tip-text')};
}

/** Common members of all chart options. */
export function frame() {
  const colours = ink();
  return {
    animation: false,
    textStyle: {fontFamily: 'system-ui, sans-serif', fontSize: 11, color: colours.text},
    tooltip: {
      className: 'chart-tip', appendTo: () => document.body, backgroundColor: colours.tip, borderWidth: 0, padding: [5, 8],
      textStyle: {color: colours.tipText, fontSize: 12}, transitionDuration: 0,
      extraCssText: 'max-width:420px;white-space:normal;box-shadow:0 2px 8px #0006',
    },
    aria: {enabled: true, label: {enabled: false}, decal: {show: state.patterns}},
  };
}
export function valueAxis(more = {}) {
  const colours = ink();
  return {
    type: 'value', axisLabel: {color: colours.quiet, formatter: short, hideOverlap: true}, splitLine: {lineStyle: {color: colours.line}},
    axisLine: {show: false}, axisTick: {show: false}, nameTextStyle: {color: colours.quiet}, ...more,
  };
}
export function categoryAxis(data, more = {}) {
  const colours = ink();
  return {
    type: 'category', data, axisLabel: {color: colours.text, ...more.axisLabel}, axisLine: {lineStyle: {color: colours.line}}, axisTick: {show: false},
    splitArea: {show: false}, ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'axisLabel')),
  };
}
/** The core cycle axis and zoom shared by all charts over time. */
export function cycleAxis() {
  const {axisLabel} = valueAxis();
  return {
    // The label of the last cycle, which is seldom a round number, would touch the one before it.
    xAxis: valueAxis({axisLabel: {...axisLabel, showMaxLabel: false}, min: state.zoomFull[0], max: state.zoomFull[1], splitLine: {show: false}, axisLine: {show: true, lineStyle: {color: ink().line}}}),
    dataZoom: [{type: 'inside', startValue: state.zoom[0], endValue: state.zoom[1], filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false, moveOnMouseWheel: 'shift', throttle: 30}],
    toolbox: {itemSize: 0, showTitle: false, feature: {dataZoom: {yAxisIndex: false, icon: {zoom: 'path://', back: 'path://'}}}},
  };
}

/** A chart.
 *  title, unit, sentence: description; height in pixels;
 *  option(): the current ECharts option; table(): {columns, rows} (table.js); file: name of the CSV;
 *  points(): number of points for keyboard navigation; point(i): {text, seriesIndex, dataIndex}; overTime: takes part in the shared zoom;
 *  part(): zoom-dependent members of the option, if only the visible range is drawn.
 *  on(chart): called once with the instance. */
export function createChart({title, unit, sentence, height, option, table, file, points, point, overTime, part, tools, on}) {
  let instance = null;
  let shown = null;
  const canvas = h('div', {class: 'canvas', style: `height:${typeof height === 'function' ? height() : height}px`, tabindex: '0', role: 'img'});
  const place = h('div', {class: 'as-table', hidden: true});
  const toggle = h('button', {
    type: 'button', class: 'as-table-toggle', 'aria-pressed': 'false', text: 'Table', onclick: () => {
      const open = place.hidden;
      toggle.setAttribute('aria-pressed', String(open));
      place.hidden = !open;
      canvas.hidden = open;
      if (open) fillTable();
      else if (instance) update();
      else draw();
    },
  });
  const head = h('h3', {tabindex: '0'});
  const figure = h('figure', {}, h('figcaption', {}, head, tools, h('span', {class: 'grow'}), table && toggle), canvas, place);
  /** Sets the chart's title; call again when its contents change. */
  function name(one) {
    const what = `${one.title}${one.unit ? `, ${one.unit}` : ''}`;
    head.replaceChildren(one.title, one.unit ? h('small', {text: one.unit}) : '');
    head.dataset.tip = `${what}\n${one.sentence}`;
    canvas.setAttribute('aria-label', `${what}. ${one.sentence} Arrow keys move along the values; the Table button lists them.`);
  }
  name({title, unit, sentence});

  function fillTable() {
    const {columns, rows} = table();
    place.replaceChildren(createTable(columns, rows, {file: file ?? title, caption: title}).element);
  }
  /** The option with a tooltip that stays inside the window: next to the pointer, or before it where there is no room. */
  const placed = (whole) => ({...whole, tooltip: {...whole.tooltip, position: (point, _parameters, _element, _rect, {contentSize}) => {
    const {left, top} = canvas.getBoundingClientRect();
    const beside = (at, offset, size, room) => {
      const after = offset + at + 14;
      return Math.max(4, after + size > room - 4 ? offset + at - 14 - size : after) - offset;
    };
    return [beside(point[0], left, contentSize[0], document.documentElement.clientWidth), beside(point[1], top, contentSize[1], window.innerHeight)];
  }}});
  function draw() {
    if (instance || canvas.hidden || canvas.clientWidth === 0) return;
    near.unobserve(canvas);
    instance = init(canvas, null, {renderer: 'canvas'});
    canvas.chart = instance;
    new ResizeObserver(() => instance.resize()).observe(canvas);
    instance.setOption(placed(option()));
    if (overTime) {
      instance.on('datazoom', () => {
        const {startValue, endValue} = instance.getOption().dataZoom[0];
        zoomTo(startValue, endValue);
      });
      instance.dispatchAction({type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true});
      instance.getZr().on('dblclick', () => set('zoom', state.zoomFull));
    }
    on?.(instance);
  }
  function update() {
    if (!place.hidden) fillTable();
    if (!instance) return; // it will be drawn when it nears the viewport
    if (typeof height === 'function') canvas.style.height = `${height()}px`;
    instance.resize();
    instance.setOption(placed(option()), {notMerge: true});
    if (overTime) instance.dispatchAction({type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true});
  }
  function zoom() {
    shown = null;
    if (!place.hidden) fillTable();
    if (!instance) return;
    if (part) instance.setOption(part());
    const {startValue, endValue} = instance.getOption().dataZoom?.[0] ?? {};
    if (startValue === state.zoom[0] && endValue === state.zoom[1]) return;
    instance.dispatchAction({type: 'dataZoom', startValue: state.zoom[0], endValue: state.zoom[1]}, {silent: true});
  }
  canvas.draw = draw;
  near.observe(canvas);

  canvas.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10}[event.key];
    if (overTime && ['+', '-', '0'].includes(event.key)) {
      event.preventDefault();
      zoomBy(event.key);
    } else if (step && point) {
      event.preventDefault();
      const all = points();
      if (all === 0) return;
      shown = shown === null ? (step > 0 ? 0 : all - 1) : (((shown + step) % all) + all) % all;
      show();
    } else if (event.key === 'Escape') {
      instance?.dispatchAction({type: 'hideTip'});
    }
  });
  canvas.addEventListener('blur', () => instance?.dispatchAction({type: 'hideTip'}));
  function show() {
    draw();
    const {text, seriesIndex, dataIndex} = point(shown);
    if (seriesIndex !== undefined) instance?.dispatchAction({type: 'showTip', seriesIndex, dataIndex});
    announce(text);
  }
  const chart = {element: figure, update, zoom, name, overTime, instance: () => instance};
  charts.add(chart);
  return chart;
}

/** Keys and buttons: + zooms in, - zooms out, 0 shows all. */
export function zoomBy(key) {
  const [from, to] = state.zoom;
  const middle = (from + to) / 2, half = (to - from) / 2;
  if (key === '0') set('zoom', state.zoomFull);
  else zoomTo(Math.floor(middle - (key === '+' ? half / 2 : half * 2)), Math.ceil(middle + (key === '+' ? half / 2 : half * 2)));
}

export function installCharts() {
  listen('dark patterns', () => {
    for (const chart of charts) if (chart.element.isConnected) chart.update();
  });
  listen('zoom', () => {
    for (const chart of charts) if (chart.overTime && chart.element.isConnected) chart.zoom();
  });
}

/** Text of a tooltip: a bold first line, then lines; the caller escapes foreign text. */
export function tipHtml(first, lines) {
  return `<b>${first}</b>${lines.filter(Boolean).map((line) => `<div>${line}</div>`).join('')}`;
}
