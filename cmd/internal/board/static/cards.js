// The environments: what runs, and what is happening.

import { el, said } from './dom.js';
import { by } from './history.js';
import { ago, chip, elapsed, environmentName, inProgress, length } from './format.js';

const runLink = (run, attributes, ...children) => el('a', { href: `#run/${run.id}`, ...attributes }, ...children);

function facts(run, clients) {
  const parts = [];
  if (by(run)) parts.push(said(by(run)));
  if (run.ciBuildNo) parts.push(el('span', {}, 'build ', said(run.ciBuildNo)));
  if (clients && run.client?.name) parts.push(said(run.client.name));
  return parts.flatMap((part, i) => (i > 0 ? [' · ', part] : [part]));
}

function active(status, run, clients) {
  const about = facts(run, clients);
  const name = environmentName(status.environment);
  return el('div', { class: `now ${run.status}` },
    el('p', { class: 'line' }, chip(run.status), el('span', { class: 'percent' }, `${run.progress} %`)),
    runLink(run, { class: 'version small' }, said(run.version || 'no version')),
    el('progress', { max: 100, value: run.progress, 'aria-label': `Progress of ${name}` }, `${run.progress} %`),
    el('p', { class: 'step' }, run.currentStep ? said(run.currentStep) : '\u00a0'),
    el('p', { class: 'muted' }, elapsed(run.dateStarted), ...(about.length > 0 ? [' · ', ...about] : [])),
    status.inProgress > 1 && el('p', { class: 'warn' }, `${status.inProgress} runs are under way here at the same time`));
}

function ended(status, run, clients) {
  const about = facts(run, clients);
  const at = run.rolledBackAt ?? run.dateCompleted;
  const calm = run.status === 'SUCCESS';
  return el('div', { class: `now ${run.status}` },
    el('p', { class: 'line' }, chip(run.status), at && el('span', { class: 'muted' }, ago(at))),
    !calm && runLink(run, { class: 'version small' }, said(run.version || 'no version')),
    run.status === 'FAILED' && run.errorMessage && el('p', { class: 'excerpt' }, said(run.errorMessage)),
    run.status === 'ROLLED_BACK' && run.currentStep && el('p', { class: 'step' }, said(run.currentStep)),
    el('p', { class: 'muted' },
      calm ? runLink(run, {}, 'Last run') : 'ran',
      run.duration !== undefined && ` ${calm ? 'took ' : ''}${length(run.duration)}`,
      ...(about.length > 0 ? [' · ', ...about] : [])));
}

// card is an environment; clients says whether to name those the runs are of.
export function card(status, clients) {
  const run = status.current;
  const name = environmentName(status.environment);
  return el('article', { class: `card ${run?.status ?? ''}`, 'data-key': status.environment, 'aria-label': name },
    el('h3', {}, name),
    el('div', { class: 'runs' },
      status.running
        ? [el('p', { class: 'label' }, 'Running'),
          el('p', { class: 'version' }, status.runningId
            ? el('a', { href: `#run/${status.runningId}` }, said(status.running)) : said(status.running)),
          el('p', { class: 'muted' }, 'since ', status.since && ago(status.since))]
        : [el('p', { class: 'label' }, 'Running'),
          el('p', { class: 'version none' }, 'not known'),
          el('p', { class: 'muted' }, run ? 'no run has succeeded here yet' : 'no run is recorded here yet')]),
    run && (inProgress(run) ? active(status, run, clients) : ended(status, run, clients)));
}
