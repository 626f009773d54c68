// The picture of past runs: a lane per environment with what ran, and the runs
// that brought it there.

import { el, plain, render, svg } from './dom.js';
import { dayText, environments, environmentName, fullTime, hourText, inProgress, length, now, secondText, stateName } from './format.js';

const bar = 12; // height of a run
const gap = 4;
const strip = 20; // height of what ran
const maxRows = 4;
const narrowest = 8; // of a run, so that it can be seen and hit
const minute = 60e3;
const day = 86400e3;

const steps = [10e3, 30e3, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, 3600e3, 2 * 3600e3, 3 * 3600e3, 6 * 3600e3, day, 2 * day, 7 * day, 14 * day, 30 * day, 61 * day];

function ticks(from, to, width) {
  const step = steps.find((s) => (to - from) / s * 74 <= width) ?? 122 * day;
  const list = [];
  const at = new Date(from);
  at.setHours(0, 0, 0, 0);
  if (step < day) at.setTime(at.getTime() + Math.floor((from - at.getTime()) / step) * step);
  while (at.getTime() <= to) {
    if (at.getTime() >= from) {
      const midnight = at.getHours() === 0 && at.getMinutes() === 0;
      list.push({ at: at.getTime(), text: step < minute ? secondText(at) : step < day && !midnight ? hourText(at) : dayText(at) });
    }
    if (step < day) at.setTime(at.getTime() + step);
    else at.setDate(at.getDate() + Math.round(step / day)); // days of a clock change are no 24 hours
  }
  return list;
}

// eras are the versions that ran, as far as the runs tell.
function eras(runs, to) {
  const points = [];
  for (const run of runs) {
    const done = Date.parse(run.dateCompleted);
    if (run.status === 'SUCCESS' && done) points.push({ at: done, version: run.version ?? '' });
    if (run.status === 'ROLLED_BACK' && done) {
      if (run.progress === 100) points.push({ at: done, version: run.version ?? '' });
      points.push({ at: Date.parse(run.rolledBackAt) || done, version: run.versionPrevious ?? '' });
    }
  }
  points.sort((a, b) => a.at - b.at);
  return points.map((p, i) => ({ ...p, until: points[i + 1]?.at ?? to })).filter((p) => p.version && p.version !== 'none');
}

function label(run) {
  const took = run.duration !== undefined ? `, took ${length(run.duration)}` : '';
  return `${plain(run.version || 'no version')}, ${environmentName(run.environment)}, ${stateName(run.status)}, ${fullTime(run.dateStarted)}${took}`;
}

function mark(run, x, y, width) {
  const top = run.status === 'FAILED' ? y - 2 : y;
  const height = run.status === 'FAILED' ? bar + 4 : bar;
  return svg('a', { href: `#run/${run.id}`, class: `mark ${run.status}`, tabindex: -1, 'data-key': `run-${run.id}`, 'data-x': Math.round(x), 'aria-label': label(run) },
    svg('title', {}, label(run)),
    svg('rect', { x: x.toFixed(1), y: top, width: width.toFixed(1), height, rx: Math.min(4, width / 2) }));
}

function lane(code, runs, y, from, to, width) {
  const x = (at) => (Math.min(Math.max(at, from), to) - from) / (to - from) * width;
  const nodes = [svg('text', { x: 0, y: y + 12, class: 'lane' }, environmentName(code))];
  y += 20;
  nodes.push(svg('rect', { x: 0, y, width, height: strip, rx: 4, class: 'ground' }));
  eras(runs, to).filter((e) => e.until > from).forEach((era, i) => {
    const left = x(era.at);
    const wide = x(era.until) - left;
    if (wide < 1) return;
    nodes.push(svg('rect', { x: left.toFixed(1), y, width: Math.max(wide - 1, 1).toFixed(1), height: strip, rx: 4, class: `era ${i % 2 ? 'odd' : ''}` }));
    const room = Math.floor((wide - 12) / 7.2);
    const letters = Array.from(plain(era.version));
    if (letters.length <= room || room >= 6) {
      nodes.push(svg('text', { x: (left + 6).toFixed(1), y: y + 14, class: 'era-text' },
        // Isolated, so that a version written from right to left stays in its place.
        `\u2068${letters.length > room ? `${letters.slice(0, room - 1).join('')}…` : letters.join('')}\u2069`));
    }
  });
  y += strip + gap + 2;
  const rows = [];
  for (const run of [...runs].reverse()) {
    const start = Date.parse(run.dateStarted);
    const end = inProgress(run) ? to : Date.parse(run.dateCompleted) || start;
    if (end < from) continue;
    const wide = Math.max(x(end) - x(start), narrowest);
    const left = Math.min(x(start), width - wide);
    let row = rows.findIndex((right) => right + 1 <= left);
    if (row < 0) row = rows.length < maxRows ? rows.length : maxRows - 1;
    rows[row] = Math.max(rows[row] ?? 0, left + wide);
    nodes.push(mark(run, left, y + 2 + row * (bar + gap), wide));
  }
  return { nodes, bottom: y + Math.max(rows.length, 1) * (bar + gap) + 14 };
}

// begin is where the axis starts: shortly before the first run of the period.
function begin(runs, to, hours) {
  const period = to - hours * 3600e3;
  const starts = runs.map((run) => Date.parse(run.dateStarted)).filter((at) => at >= period);
  const underWay = runs.some((run) => Date.parse(run.dateStarted) < period);
  if (starts.length === 0 || underWay) return period;
  const span = Math.max((to - Math.min(...starts)) * 1.04, minute);
  return Math.max(period, to - span);
}

// draw shows the runs of a period, newest first.
export function draw(container, runs, { env, hours, note }) {
  const width = Math.max(Math.floor(container.clientWidth - 32), 240);
  const to = now();
  const from = begin(runs, to, hours);
  const nodes = [];
  let y = 24;
  for (const { environment: code } of environments) {
    if (env && env !== code) continue;
    const part = lane(code, runs.filter((r) => r.environment === code), y, from, to, width);
    nodes.push(...part.nodes);
    y = part.bottom;
  }
  const height = y - 6;
  const axis = ticks(from, to, width).flatMap((t) => {
    const x = (t.at - from) / (to - from) * width;
    const anchor = x > width - 40 ? 'end' : x < 24 ? 'start' : 'middle';
    return [svg('line', { x1: x.toFixed(1), x2: x.toFixed(1), y1: 18, y2: height, class: 'grid' }),
      svg('text', { x: x.toFixed(1), y: 11, 'text-anchor': anchor, class: 'tick' }, t.text)];
  });
  const failed = runs.filter((r) => r.status === 'FAILED').length;
  const back = runs.filter((r) => r.status === 'ROLLED_BACK').length;
  const title = `${runs.length} runs, ${failed} failed, ${back} rolled back. Arrow keys go from run to run; the history below lists them.`;
  render(container,
    svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': title, 'data-key': 'picture' }, ...axis, ...nodes),
    note && el('p', { class: 'muted note', 'data-key': 'note' }, note));
  // One stop for the tab key; arrows do the rest.
  const marks = [...container.querySelectorAll('.mark')];
  const current = marks.find((m) => m === document.activeElement) ?? marks.at(-1);
  for (const m of marks) m.setAttribute('tabindex', m === current ? '0' : '-1');
}

// keys moves the focus from run to run.
export function keys(container) {
  container.addEventListener('keydown', (event) => {
    const marks = [...container.querySelectorAll('.mark')];
    const here = marks.indexOf(document.activeElement);
    if (here < 0) return;
    let next = here;
    switch (event.key) {
      case 'ArrowRight': case 'ArrowDown': next = Math.min(here + 1, marks.length - 1); break;
      case 'ArrowLeft': case 'ArrowUp': next = Math.max(here - 1, 0); break;
      case 'Home': next = 0; break;
      case 'End': next = marks.length - 1; break;
      default: return;
    }
    event.preventDefault();
    marks[here].setAttribute('tabindex', '-1');
    marks[next].setAttribute('tabindex', '0');
    marks[next].focus();
  });
}
