// The four delivery measures of each environment.

import { el } from './dom.js';
import { environmentName, length } from './format.js';

const round = (n) => (n >= 10 ? Math.round(n) : Math.round(n * 10) / 10);

function frequency(perDay) {
  if (perDay >= 1) return [round(perDay), 'per day'];
  if (perDay * 7 >= 1) return [round(perDay * 7), 'per week'];
  return [round(perDay * 30), 'per month'];
}

function tile(name, value, unit, note) {
  return el('div', { class: 'tile' },
    el('dt', {}, name),
    el('dd', {}, el('span', { class: 'value' }, String(value)), unit && el('span', { class: 'unit' }, ` ${unit}`), el('span', { class: 'sample' }, note)));
}

const some = (n, one, many) => `${n} ${n === 1 ? one : many}`;

export function measure(m) {
  const name = environmentName(m.environment);
  const [value, unit] = m.deployments > 0 ? frequency(m.perDay) : ['–', ''];
  const tried = m.failureRate > 0 ? Math.round(m.failures / m.failureRate) : m.deployments;
  return el('article', { class: 'panel measure', 'data-key': m.environment, 'aria-label': `Delivery to ${name}` },
    el('h3', {}, name),
    el('dl', {},
      tile('Deployment frequency', value, unit, some(m.deployments, 'deployment', 'deployments')),
      tile('Lead time for changes', m.leadTimes > 0 ? length(m.leadTime) : '–', '', m.leadTimes > 0 ? `median of ${some(m.leadTimes, 'change', 'changes')}` : 'no commit times recorded'),
      tile('Change failure rate', tried > 0 ? Math.round(m.failureRate * 100) : '–', tried > 0 ? '%' : '', tried > 0 ? `${m.failures} of ${tried}` : 'nothing deployed'),
      tile('Time to restore', m.restores > 0 ? length(m.restore) : '–', '', m.restores > 0 ? `median of ${some(m.restores, 'failure', 'failures')}` : m.failures > 0 ? 'not restored yet' : 'no failures')));
}
