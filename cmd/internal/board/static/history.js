// The list of runs, and one of them in detail.

import { el, plain, said } from './dom.js';
import { ago, chip, elapsed, environmentName, fullTime, inProgress, length } from './format.js';

// about is what a list says of a run: what it is doing, why it failed, else what
// it changed.
function about(run) {
  if (inProgress(run)) return run.currentStep || run.changes;
  if (run.status === 'FAILED' && run.errorMessage) return run.errorMessage;
  if (run.status === 'ROLLED_BACK' && run.errorMessage) return run.errorMessage;
  return run.changes || run.components || run.currentStep;
}

// step is the way from one version to the other.
function step(run) {
  if (!run.version || !run.versionPrevious || run.versionPrevious === 'none') return undefined;
  const [a, b] = run.status === 'ROLLED_BACK' ? [run.version, run.versionPrevious] : [run.versionPrevious, run.version];
  return [' · ', said(a), ' → ', said(b)];
}

export const by = (run) => run.deployedBy || run.createdBy?.name;

export function row(run) {
  return el('li', { 'data-key': `row-${run.id}` },
    el('a', { class: 'row', href: `#run/${run.id}` },
      el('span', { class: 'cell state' }, chip(run.status)),
      el('span', { class: 'cell what' },
        said(run.version || 'no version', { class: 'version' }),
        el('span', { class: 'env' }, environmentName(run.environment), step(run))),
      el('span', { class: 'cell why' },
        said(about(run) || ''),
        run.components && about(run) !== run.components && said(run.components, { class: 'parts' })),
      el('span', { class: 'cell who' }, by(run) && said(by(run))),
      el('span', { class: 'cell when' }, run.dateStarted && ago(run.dateStarted)),
      el('span', { class: 'cell took' }, inProgress(run) ? elapsed(run.dateStarted) : run.duration !== undefined && length(run.duration))));
}

// link is an address somebody wrote down: followed only if it leads to the web.
function link(text, fallback) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return said(fallback ? `${fallback} (${text})` : text);
  return el('a', { href: url.href, rel: 'noopener noreferrer', target: '_blank' }, said(fallback || url.host + url.pathname));
}

const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, ...value));
const block = (name, text, kind) => text && el('section', { class: `block ${kind ?? ''}` }, el('h3', {}, name), el('pre', { dir: 'auto', tabindex: 0, 'aria-label': name }, plain(text)));

function title(run) {
  return el('h2', { id: 'detail-title', tabindex: -1, autofocus: true }, said(run.version || 'no version'));
}

const close = () => el('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×');

export function detail(run) {
  return [
    el('header', {}, el('div', {}, el('p', { class: 'label' }, `${environmentName(run.environment)} · run ${run.id}`), title(run)), close()),
    el('div', { class: 'body' },
      el('p', { class: 'line' }, chip(run.status), inProgress(run) && el('span', { class: 'percent' }, `${run.progress} %`)),
      inProgress(run) && el('progress', { max: 100, value: run.progress, 'aria-label': 'Progress' }, `${run.progress} %`),
      run.currentStep && run.status !== 'SUCCESS' && el('p', { class: 'step' }, said(run.currentStep)),
      block('What went wrong', run.errorMessage, 'bad'),
      el('dl', { class: 'facts' },
        run.versionPrevious && fact(run.status === 'ROLLED_BACK' ? 'Running again' : 'Version before', said(run.versionPrevious)),
        run.dateStarted && fact('Started', fullTime(run.dateStarted), ' (', ago(run.dateStarted), ')'),
        run.dateCompleted && fact('Ended', fullTime(run.dateCompleted)),
        run.dateStarted && fact(inProgress(run) ? 'Running for' : 'Took', inProgress(run) ? elapsed(run.dateStarted) : length(run.duration ?? 0)),
        by(run) && fact('Triggered by', said(by(run))),
        run.currentStep && run.status === 'SUCCESS' && fact('Last step', said(run.currentStep)),
        run.client?.name && fact('Client', said(run.client.name)),
        (run.ciBuildNo || run.ciUrl) && fact('Build', run.ciUrl ? link(run.ciUrl, run.ciBuildNo) : said(run.ciBuildNo)),
        (run.automationJobId || run.automationUrl) && fact('Automation', run.automationUrl ? link(run.automationUrl, run.automationJobId) : said(run.automationJobId))),
      block('Changes', run.changes),
      block('Components', run.components)),
  ];
}

export function noDetail(heading, text) {
  return [
    el('header', {}, el('h2', { id: 'detail-title', tabindex: -1, autofocus: true }, heading), close()),
    el('div', { class: 'body' }, el('p', {}, said(text))),
  ];
}
