// How times, lengths and states are written.

import { el, svg } from './dom.js';

// environments are those of the ERP's list, with their names.
export let environments = [
  { environment: 'PROD', name: 'Production' },
  { environment: 'STAGING', name: 'Staging' },
  { environment: 'DEV', name: 'Development' },
];

export function setEnvironments(list) { environments = list; }

export const environmentName = (code) => environments.find((e) => e.environment === code)?.name ?? code;

const states = {
  BUILDING: { name: 'Building', icon: 'M3 13 9 7M8 3l5 5-2 2-5-5zM8 3 6 1' },
  DEPLOYING: { name: 'Deploying', icon: 'M8 13V3M4 7l4-4 4 4' },
  SUCCESS: { name: 'Success', icon: 'M3 8.5 6.5 12 13 4.5' },
  FAILED: { name: 'Failed', icon: 'M4 4l8 8M12 4l-8 8' },
  ROLLED_BACK: { name: 'Rolled back', icon: 'M6 2 3 5l3 3M3 5h6a4 4 0 0 1 0 8H5' },
};

export const stateName = (status) => states[status]?.name ?? status;
export const inProgress = (run) => run.status === 'BUILDING' || run.status === 'DEPLOYING';

// chip is a state with its sign, so that colour is not all there is.
export function chip(status) {
  const known = status in states;
  return el('span', { class: `chip ${known ? status : ''}` },
    known && svg('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' }, svg('path', { d: states[status].icon })),
    stateName(status));
}

let offset = 0; // of the server's clock against ours, in ms

export function setServerTime(text) {
  const at = Date.parse(text);
  if (!Number.isNaN(at)) offset = Math.abs(at - Date.now()) > 2000 ? at - Date.now() : 0;
}

export const now = () => Date.now() + offset;

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const longDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export const fullTime = (text) => full.format(new Date(text));
export const dayText = (ms) => shortDay.format(ms);
export const hourText = (ms) => hours.format(ms);
export const secondText = (ms) => seconds.format(ms);

// length writes seconds with its two largest units.
export function length(seconds) {
  let rest = Math.max(0, Math.round(seconds));
  const parts = [];
  for (const [size, unit] of [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']]) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(' ') || '0 s';
}

export function agoText(text) {
  const seconds = (Date.parse(text) - now()) / 1000;
  const abs = Math.abs(seconds);
  if (abs < 45) return seconds > 5 ? 'in a moment' : 'just now';
  if (abs < 45 * 60) return relative.format(Math.round(seconds / 60), 'minute');
  if (abs < 22 * 3600) return relative.format(Math.round(seconds / 3600), 'hour');
  if (abs < 26 * 86400) return relative.format(Math.round(seconds / 86400), 'day');
  return longDay.format(new Date(text));
}

export const elapsedText = (started) => length((now() - Date.parse(started)) / 1000);

// ago is a moment as "3 minutes ago", elapsed the time since; both go on by
// themselves.
export const ago = (text) => el('time', { datetime: text, title: fullTime(text), 'data-ago': true }, agoText(text));
export const elapsed = (text) => el('time', { datetime: text, title: `since ${fullTime(text)}`, 'data-elapsed': true }, elapsedText(text));

export function tick() {
  for (const node of document.querySelectorAll('[data-ago]')) {
    const text = agoText(node.dateTime);
    if (node.textContent !== text) node.textContent = text;
  }
  for (const node of document.querySelectorAll('[data-elapsed]')) node.textContent = elapsedText(node.dateTime);
}
